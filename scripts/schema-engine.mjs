#!/usr/bin/env node
// Replaces Prisma's native schema engine, because that is only available from a host other than the npm registry.
// The CLI starts the file named by PRISMA_SCHEMA_ENGINE_BINARY and exchanges line-delimited JSON-RPC with it. This
// script implements that protocol with the WebAssembly engine from npm and adapter-pg.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import * as wasm from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';

// A crash must answer the pending request, because the CLI exits silently with status 0 when the engine just ends.
let pendingRequest;
process.on('uncaughtException', (error) => {
  logError(String(error?.stack ?? error));
  if (pendingRequest !== undefined) send({ id: pendingRequest, ...failure(error) });
  process.exit(101);
});

// Without this registry, a panic of the engine never settles the request.
let panic;
globalThis.PRISMA_WASM_PANIC_REGISTRY = {
  set_message(message) {
    panic = message;
  },
};

const args = process.argv.slice(2);
const datasource = JSON.parse(options('--datasource')[0] ?? '{}');
const databaseUrl = datasource.url ?? 'postgresql://postgres@127.0.0.1:5432/postgres';

/** All values of a repeatable option. */
function options(name) {
  return args.flatMap((arg, index) => (arg === name ? [args[index + 1]] : []));
}

/** Log format of the native engine; the CLI prints the message and evaluates the code. */
function logError(message, code) {
  const line = { level: 'ERROR', target: 'schema_engine::logger', fields: { message, error_code: code } };
  process.stderr.write(`\n${JSON.stringify(line)}\n`);
}

/** Commands outside JSON-RPC: `create-database` and `can-connect-to-database`. */
async function runCommand(command) {
  try {
    if (command === 'create-database') {
      const name = decodeURIComponent(new URL(databaseUrl).pathname.slice(1));
      await query(withDatabase('postgres'), `CREATE DATABASE ${pg.escapeIdentifier(name)}`);
    } else {
      await query(databaseUrl, 'SELECT 1');
    }
  } catch (error) {
    const prismaCodes = { '3D000': 'P1003', '28P01': 'P1000' };
    logError(error.message, prismaCodes[error.code] ?? 'P1001');
    process.exitCode = 1;
  }
}

function withDatabase(name) {
  const url = new URL(databaseUrl);
  url.pathname = `/${encodeURIComponent(name)}`;
  return url.href;
}

async function query(connectionString, sql) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** adapter-pg with the missing parts of a migration adapter. */
class MigrationAdapterFactory extends PrismaPg {
  async connect() {
    return closeGaps(await super.connect());
  }

  // With a connection string, adapter-pg ignores the shadow database name and would connect to the real database.
  async connectToShadowDb() {
    if (datasource.shadowDatabaseUrl) {
      return closeGaps(await new PrismaPg({ connectionString: datasource.shadowDatabaseUrl }).connect());
    }
    const name = `prisma_migrate_shadow_db_${crypto.randomUUID()}`;
    await query(databaseUrl, `CREATE DATABASE "${name}"`);

    const adapter = closeGaps(await new PrismaPg({ connectionString: withDatabase(name) }).connect());
    const dispose = adapter.dispose.bind(adapter);
    adapter.dispose = async () => {
      await dispose();
      await query(databaseUrl, `DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
    };
    return adapter;
  }
}

function closeGaps(adapter) {
  const performIO = adapter.performIO.bind(adapter);
  const queryRaw = adapter.queryRaw.bind(adapter);
  let singleCharColumns = [];

  // PostgreSQL 18 lists NOT NULL in pg_constraint, which panics the engine (prisma/orm#29635), so only checks and
  // exclusions are returned. adapter-pg does not know "char" (oid 18) of the catalogue, so it is read as char(n) (oid
  // 1042).
  adapter.performIO = async (query) => {
    const sql = query.sql.replace("contype NOT IN ('p', 'u', 'f')", "contype IN ('c', 'x')");
    const result = await performIO({ ...query, sql });
    const fields = result.fields ?? [];
    singleCharColumns = fields.map((field) => field.dataTypeID === 18);
    for (const field of fields) if (field.dataTypeID === 18) field.dataTypeID = 1042;
    return result;
  };
  adapter.queryRaw = async (query) => {
    const result = await queryRaw(query);
    const types = result.columnTypes.map((type, index) => (singleCharColumns[index] ? ColumnTypeEnum.Character : type));
    return { ...result, columnTypes: types };
  };

  // The original splits the script at semicolons, which breaks function bodies; PostgreSQL splits it correctly.
  adapter.executeScript = async (script) => {
    try {
      await adapter.underlyingDriver().query(script);
    } catch (error) {
      adapter.onError(error);
    }
  };
  return adapter;
}

/** Answers requests in order until stdin closes. */
async function serve() {
  let engine;
  for await (const line of createInterface({ input: process.stdin })) {
    if (!line.trim()) continue;
    const { id, method, params } = JSON.parse(line);
    // A line without a method acknowledges a `print` notification.
    if (!method) continue;

    pendingRequest = id;
    try {
      engine ??= await openEngine();
      const result = await call(engine, method, params);
      if (method === 'diff' && result?.stdout != null) {
        send({ id: 'print', method: 'print', params: { content: result.stdout } });
      }
      send({ id, result: result ?? {} });
    } catch (error) {
      send({ id, ...failure(error) });
    }
    pendingRequest = undefined;
  }
}

function openEngine() {
  loadEngine();
  const schemas = options('--datamodels').map((path) => [path, readFileSync(path, 'utf8')]);
  const factory = bindMigrationAwareSqlAdapterFactory(new MigrationAdapterFactory({ connectionString: databaseUrl }));
  return wasm.SchemaEngine.new({ datamodels: schemas.length ? schemas : undefined }, () => {}, factory);
}

function loadEngine() {
  const entry = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm');
  const module = new WebAssembly.Module(readFileSync(entry.replace(/schema_engine\.js$/, 'schema_engine_bg.wasm')));
  const instance = new WebAssembly.Instance(module, { './schema_engine_bg.js': wasm });
  wasm.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
}

function printVersion() {
  loadEngine();
  console.log(`schema-engine-cli ${wasm.version()}`);
}

function failure(error) {
  const data = {
    is_panic: false,
    message: panic ?? String(error?.message ?? error),
    meta: error?.meta ?? null,
    error_code: error?.code ?? null,
  };
  return { error: { code: 4466, message: 'An error happened. Check the data field for details.', data } };
}

async function call(engine, method, params) {
  if (method === 'getDatabaseVersion') return engine.version(params);
  if (method === 'evaluateDataLoss') {
    // The WebAssembly engine cannot open the shadow database in this method; devDiagnostic fills the cache it reads.
    await engine.devDiagnostic({ migrationsList: params.migrationsList, filters: params.filters });
  }
  return engine[method](params);
}

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

if (args[0] === '--version') printVersion();
else if (args.includes('cli')) await runCommand(args.at(-1));
else await serve();
process.exit();
