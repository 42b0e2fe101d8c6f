import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
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

/** Builds once for all processes of the tests, as `npm run build` does. */
export async function buildSource(): Promise<{
  folder: string;
  again: () => Promise<void>;
  remove: () => Promise<void>;
}> {
  const folder = await mkdtemp(join(ROOT, 'dist-test-'));
  const again = async () => {
    await run(process.execPath, ['scripts/build.mjs', basename(folder)], { cwd: ROOT });
  };
  await again();
  return { folder, again, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** The file that `node` runs as the service or as the CLI. */
export function program(name: 'main' | 'cli'): string {
  return join(inject('builtSource'), `${name}.js`);
}
