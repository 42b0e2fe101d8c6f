#!/usr/bin/env node
// The Prisma CLI where its engine's download host is out of reach: `npm run prisma -- migrate dev`.
//
// Every command of the CLI insists on a native schema engine that npm does not carry. schema-engine.mjs speaks its
// protocol, so the CLI is told to use that. PRISMA_NATIVE=1 gives the downloaded engine back.
import { spawnSync } from 'node:child_process';
import { accessSync, chmodSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const engine = fileURLToPath(new URL('./schema-engine.mjs', import.meta.url));
const cli = createRequire(import.meta.url).resolve('prisma/build/index.js');
const args = process.argv.slice(2);
const env = { ...process.env, PRISMA_HIDE_UPDATE_MESSAGE: '1', CHECKPOINT_DISABLE: '1' };

// Windows cannot execute a script; commands that only check that the engine exists work there all the same.
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
