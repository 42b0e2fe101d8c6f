#!/usr/bin/env node
// The Prisma CLI without a downloaded engine: `npm run prisma -- migrate dev`.
// The CLI requires a native schema engine that npm does not provide, so this script makes it use schema-engine.mjs.
// PRISMA_NATIVE=1 uses the downloaded engine.
import { spawnSync } from 'node:child_process';
import { accessSync, chmodSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const engine = fileURLToPath(new URL('./schema-engine.mjs', import.meta.url));
const cli = createRequire(import.meta.url).resolve('prisma/build/index.js');
const args = process.argv.slice(2);
const env = { ...process.env, PRISMA_HIDE_UPDATE_MESSAGE: '1', CHECKPOINT_DISABLE: '1' };

// Windows cannot execute a script. Other commands only check that the file exists.
const canUseEngine = process.platform !== 'win32' || !['migrate', 'db'].includes(args[0]);

if (!env.PRISMA_NATIVE && canUseEngine) {
  env.PRISMA_SCHEMA_ENGINE_BINARY ??= engine;
  makeExecutable(engine);
}

const { status, error } = spawnSync(process.execPath, [cli, ...args], { stdio: 'inherit', env });
if (error) console.error(error.message);
process.exit(status ?? 1);

/** Archives and some file systems lose the executable bit, without which the CLI cannot start the engine. */
function makeExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
  } catch {
    try {
      chmodSync(file, 0o755);
    } catch (cause) {
      console.error(`${file} is not executable and cannot be made so: ${cause.message}`);
    }
  }
}
