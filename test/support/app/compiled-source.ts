import { mkdtemp, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { inject } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../../..');

declare module 'vitest' {
  export interface ProvidedContext {
    builtSource: string;
  }
}

/** Compiles each file to one of the same name beside `src`, where relative paths of the source still resolve. */
const fileByFile: Plugin = {
  name: 'file-by-file',
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ path, kind }) =>
      kind === 'entry-point' ? undefined : { path: path.replace(/\.ts$/, '.js'), external: true },
    );
  },
};

/**
 * Compiles the source once for all processes of the tests, because compiling on load takes longer than a short command.
 */
export async function buildSource(): Promise<{
  folder: string;
  again: () => Promise<void>;
  remove: () => Promise<void>;
}> {
  const folder = await mkdtemp(join(ROOT, 'dist-test-'));
  const again = async () => {
    await build({
      absWorkingDir: ROOT,
      entryPoints: ['src/**/*.ts'],
      outbase: 'src',
      outdir: folder,
      bundle: true,
      packages: 'external',
      plugins: [fileByFile],
      format: 'esm',
      platform: 'node',
      target: 'node20',
      logLevel: 'warning',
    });
  };
  await again();
  return { folder, again, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** The file that `node` runs as the service or as the CLI. */
export function program(name: 'main' | 'cli'): string {
  return join(inject('builtSource'), `${name}.js`);
}
