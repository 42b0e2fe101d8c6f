import { execFile } from 'node:child_process';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';

const run = promisify(execFile);

const ROOT = resolve(import.meta.dirname, '../../..');

declare module 'vitest' {
  export interface ProvidedContext {
    builtSource: string;
  }
}

/** Builds for all processes of the tests, as `npm run build` does. @param folder in the root of the repository */
export async function buildSource(folder: string): Promise<void> {
  await run(process.execPath, ['scripts/build.mjs', basename(folder)], { cwd: ROOT });
}

/** The file that `node` runs as the service or as the CLI, or imports as the package. */
export function program(name: 'main' | 'cli' | 'index'): string {
  return join(inject('builtSource'), `${name}.js`);
}
