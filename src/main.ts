import cluster from 'node:cluster';
import { setFlagsFromString } from 'node:v8';
import type { Logger } from 'pino';
import { type Config, readConfig } from './config.ts';
import { SECOND } from './lib/time.ts';
import { createSetupLink } from './resolvers/administrators/links.ts';
import { createGateways } from './server/create-gateways.ts';
import type { Encrypter } from './server/encryption/encrypter.ts';
import type { App } from './server/lifecycle.ts';
import { createLog, readable } from './server/observability/log.ts';
import { collectTraces } from './server/observability/tracing.ts';
import { credentialsFile, prepare } from './server/prepare.ts';
import { createEncrypter, type Database, naming, openDatabase } from './server/startup.ts';
import { workerProcess } from './server/worker.ts';
import { forkWorkers } from './server/workers.ts';

type Traces = ReturnType<typeof import('./server/observability/otlp.ts').startOtlp>;

// Compiles functions of the query compiler of Prisma when they are called: saves a quarter of the CPU time of a start.
setFlagsFromString('--wasm-lazy-compilation');

try {
  await main(readConfig());
} catch (error) {
  process.stderr.write(`atrium: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

async function main(config: Config): Promise<void> {
  // Deferred until the start completes, because a partly started service cannot stop gracefully.
  const stopRequested = stopSignal();
  const worker = workerProcess();
  const destination = process.stdout.isTTY ? readable(process.stdout) : undefined;
  const log = createLog(config.logLevel, destination, worker && { worker: worker.number });
  if (config.workers > 1 && !worker) return superviseWorkers(config, log, stopRequested);
  const traces = await startTraces(config, log);
  // Loads while the database starts, because each takes a few hundred milliseconds.
  const lifecycle = import('./server/lifecycle.ts');
  lifecycle.catch(() => {}); // reported below
  if (worker) {
    const mayStart = await Promise.race([worker.mayStart.then(() => true), stopRequested.then(() => false)]);
    if (!mayStart) process.exit(0);
  }
  const database = await announcedIfSlow('starting the database', openDatabase(config));
  let app: App;
  try {
    const encrypter = worker ? await createEncrypter(config) : await prepareAndReport(config, log);
    const now = () => new Date();
    const gateways = await createGateways(config, { now, log });
    const { drainSeconds } = config;
    const connections = { database: database.config, directDatabase: database.direct };
    const { startApp } = await announcedIfSlow('loading modules', lifecycle);
    app = await startApp({
      config,
      drainSeconds,
      ...connections,
      now,
      log,
      encrypter,
      ...gateways,
      peers: worker,
    }).catch(
      naming(config.consolePort === undefined ? 'HOST, PORT' : 'HOST, PORT, CONSOLE_PORT', [
        'listen',
        'bind',
        'getaddrinfo',
      ]),
    );
  } catch (error) {
    await database.stop();
    throw error;
  }
  const url = app.services.publicUrl();
  const consoleUrl = app.services.consoleUrl();
  if (worker) worker.reportReady(url, consoleUrl);
  else {
    if (url !== app.url) process.stdout.write(`listening at ${app.url}\n`);
    await reportReady({ url, consoleUrl }, config);
  }
  await stopRequested;
  await stop(log, [app, database, traces]);
}

/** Workers open the database themselves, like other processes that share it. */
async function superviseWorkers(config: Config, log: Logger, stopRequested: Promise<void>): Promise<void> {
  const workers = forkWorkers(config.workers, log);
  let database: Database | undefined;
  try {
    database = await announcedIfSlow('starting the database', openDatabase(config));
    await prepareAndReport(config, log);
    await reportReady(await announcedIfSlow('starting the workers', workers.start()), config);
  } catch (error) {
    await workers.stop().catch(() => {}); // those that had not started are killed
    await database?.stop();
    throw error;
  }
  await stopRequested;
  await stop(log, [workers, database]);
}

/** Prints the name of a step that takes longer than a second; for workers, the primary process does. */
async function announcedIfSlow<Result>(text: string, step: Promise<Result>): Promise<Result> {
  const timer = setTimeout(() => cluster.isPrimary && process.stderr.write(`atrium: ${text}\n`), SECOND);
  return step.finally(() => clearTimeout(timer));
}

/** With a link to create the first administrator as long as there is none. */
async function reportReady(
  { url, consoleUrl }: { url: string; consoleUrl: string },
  { isConsoleOn }: Config,
): Promise<void> {
  const lines = [`atrium is ready at ${url}`];
  if (isConsoleOn) {
    const link = await createSetupLink({ now: () => new Date(), consoleUrl: () => consoleUrl });
    lines.push(link ? `console (valid for 15 minutes): ${link}` : `console: ${consoleUrl}`);
  }
  process.stdout.write(`${lines.join('\n')}\n`);
}

async function prepareAndReport(config: Config, log: Logger): Promise<Encrypter> {
  const { encrypter, credentials } = await prepare(config, log);
  if (credentials) {
    const lines = Object.entries(credentials).map(([name, value]) => `  ${name}: ${value}\n`);
    process.stdout.write(`first application (also in ${credentialsFile(config)}):\n${lines.join('')}`);
  }
  return encrypter;
}

/** Resolves on the first stop signal. A second Ctrl-C exits immediately. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.on('SIGTERM', resolve);
    process.once('SIGINT', () => {
      resolve();
      process.once('SIGINT', () => process.exit(130));
    });
  });
}

async function startTraces({ traces }: Config, log: Logger): Promise<Traces | undefined> {
  if (!traces) return undefined;
  const { startOtlp } = await import('./server/observability/otlp.ts');
  const started = startOtlp(log);
  collectTraces(started.tracing);
  return started;
}

async function stop(log: Logger, parts: ({ stop: () => Promise<void> } | undefined)[]): Promise<void> {
  log.info('stopping');
  try {
    for (const part of parts) await part?.stop();
    process.exit(0);
  } catch (error) {
    log.error({ err: error }, 'the service did not stop gracefully');
    process.exit(1);
  }
}
