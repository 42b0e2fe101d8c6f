// Builds `dist`: the modules with their declarations.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
rmSync(join(import.meta.dirname, 'dist'), { recursive: true, force: true });
const tsc = [join(typescript, 'bin/tsc'), '-p', join(import.meta.dirname, 'tsconfig.build.json')];
process.exit(spawnSync(process.execPath, tsc, { stdio: 'inherit' }).status ?? 1);
