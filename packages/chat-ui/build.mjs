// Builds `dist`: the modules with their declarations, and the styles.
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
rmSync(join(import.meta.dirname, 'dist'), { recursive: true, force: true });
const tsc = [join(typescript, 'bin/tsc'), '-p', join(import.meta.dirname, 'tsconfig.build.json')];
const { status } = spawnSync(process.execPath, tsc, { stdio: 'inherit' });
if (status !== 0) process.exit(1);
for (const file of readdirSync(join(import.meta.dirname, 'src'))) {
  if (file.endsWith('.css')) cpSync(join(import.meta.dirname, 'src', file), join(import.meta.dirname, 'dist', file));
}
