// Builds `dist`: the modules with their declarations, the schema types, and the code of graphql-ws.
import { spawnSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';

const here = import.meta.dirname;
const dist = join(here, 'dist');
const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));

rmSync(dist, { recursive: true, force: true });
const { status } = spawnSync(process.execPath, [join(typescript, 'bin/tsc'), '-p', here], { stdio: 'inherit' });
if (status !== 0) process.exit(1);

await build({
  entryPoints: [join(here, 'src/graphql-ws.ts')],
  outfile: join(dist, 'graphql-ws.js'),
  bundle: true,
  format: 'esm',
  target: 'es2022',
  allowOverwrite: true,
  banner: { js: '// graphql-ws, MIT License, Copyright (c) 2020-2025 Denis Badurina' },
});
rmSync(join(dist, 'graphql-ws.d.ts'));
cpSync(join(here, 'src/generated'), join(dist, 'generated'), { recursive: true });
cpSync(join(here, '../../schema.graphql'), join(dist, 'schema.graphql'));
