import { mkdtemp, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { inject } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../../..');

declare module 'vitest' {
  export interface ProvidedContext {
    /** Folder of the source as JavaScript. */
    builtSource: string;
  }
}

/** Each file becomes one file of the same name, beside `src`: where the source looks for what lies around it. */
const fileByFile: Plugin = {
  name: 'file-by-file',
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ path, kind }) =>
      kind === 'entry-point' ? undefined : { path: path.replace(/\.ts$/, '.js'), external: true },
    );
  },
};

/**
 * Translates the source once for all processes that the tests start. By itself each would do it anew as it loads, which
 * takes longer than all the rest of a short command.
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

/** What `node` runs as the service, or as the CLI. */
export function program(name: 'main' | 'cli'): string {
  return join(inject('builtSource'), `${name}.js`);
}
