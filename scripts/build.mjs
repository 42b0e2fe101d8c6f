// Builds the service and the CLI into `dist`, or into the given folder beside `src`. Development packages that the
// source imports are bundled: every start loads most of them, and they are large when installed in full. The packages
// of `dependencies` remain in node_modules: those with native code, workers or assets, those that tools patch, and
// those that parse input from the network, so that `npm audit fix` can update them.
import { spawnSync } from 'node:child_process';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { licensesOf } from './licenses.mjs';
import { sbomOf } from './sbom.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { dependencies } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));

const [outdir = 'dist'] = process.argv.slice(2);

// Another value, for example that of a test, would make Vite bundle the development build of React, twice as large.
process.env.NODE_ENV = 'production';

await rm(join(root, outdir), { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: ['src/main.ts', 'src/cli.ts', 'src/bin.ts', 'src/index.ts'],
  outdir,
  bundle: true,
  splitting: true,
  external: Object.keys(dependencies),
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  sourcesContent: false,
  metafile: true,
  // For CommonJS packages that require built-in modules.
  banner: { js: "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);" },
  logLevel: 'warning',
});

// esbuild gives a deferred import of a CommonJS module only the member `default`, unlike Node.js.
const deferred = Object.entries(metafile.inputs)
  .filter(([importer]) => importer.startsWith('src/'))
  .flatMap(([, { imports }]) => imports)
  .filter(({ kind, path }) => kind === 'dynamic-import' && metafile.inputs[path]?.format === 'cjs');
if (deferred.length > 0) throw new Error(`bundled CommonJS modules are deferred: ${deferred.map(({ path }) => path)}`);

// A build of the service for a test uses the pages and the types that exist.
if (outdir === 'dist') {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.package.json'], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
  const inputs = Object.keys(metafile.inputs);
  await writeFile(join(root, outdir, 'LICENSES.md'), await licensesOf(root, inputs));
  const bundles = { dist: inputs, 'packages/console/dist': await buildConsole() };
  await writeFile(join(root, outdir, 'sbom.cdx.json'), await sbomOf(root, bundles));
}

/** A service may be serving the previous pages. @returns the bundled files */
async function buildConsole() {
  const { build } = await import('vite');
  const folder = join(root, 'packages/console');
  const [outDir, dist] = [join(folder, 'dist-next'), join(folder, 'dist')];
  const { output } = await build({ root: folder, configFile: join(folder, 'vite.config.ts'), build: { outDir } });
  await rm(dist, { recursive: true, force: true });
  await rename(outDir, dist);
  const modules = output.flatMap(({ moduleIds = [], originalFileNames = [] }) => [...moduleIds, ...originalFileNames]);
  return modules.map((path) => relative(root, resolve(folder, path.replace(/^\0|\?.*$/g, ''))));
}
