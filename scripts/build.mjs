// Builds the service and the CLI into `dist`, or into the given folder beside `src`. Packages that every start loads are
// bundled, because loading their 1,500 files takes longer than the rest of the start. Other packages remain in
// node_modules: those loaded on first use, those with native code, workers or assets, and those that tools patch.
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const BUNDLED = [
  '@fastify/busboy',
  '@graphql-tools/executor',
  '@opentelemetry/api',
  '@pothos/core',
  '@pothos/plugin-prisma',
  '@pothos/plugin-relay',
  '@pothos/plugin-scope-auth',
  'dataloader',
  'find-my-way',
  'gql.tada',
  'graphql',
  'graphql-scalars',
  'graphql-ws',
  'graphql-yoga',
  'pg-boss',
  'pluralize',
  'prom-client',
  'rate-limiter-flexible',
  'ws',
  'zod',
];

const root = fileURLToPath(new URL('..', import.meta.url));
const { dependencies } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));

const [outdir = 'dist'] = process.argv.slice(2);

await rm(join(root, outdir), { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: ['src/main.ts', 'src/cli.ts'],
  outdir,
  bundle: true,
  splitting: true,
  external: Object.keys(dependencies).filter((name) => !BUNDLED.includes(name)),
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  sourcesContent: false,
  // For CommonJS packages that require built-in modules.
  banner: { js: "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);" },
  logLevel: 'warning',
});

// The console and the explorer. A build of the service for a test uses those that exist.
if (outdir === 'dist')
  await (await import('vite')).build({
    root: join(root, 'packages/console'),
    configFile: join(root, 'packages/console/vite.config.ts'),
  });
