import cluster from 'node:cluster';
import { setFlagsFromString } from 'node:v8';
import type { Logger } from 'pino';
import { type Config, readConfig } from './config.ts';
import { SECOND } from './lib/time.ts';
import { createLog, readable } from './platform/observability/log.ts';
import { collectTraces } from './platform/observability/tracing.ts';
import type { DatabaseServer } from './server/database-server.ts';
import { type WorkerProcess, workerProcess } from './server/worker.ts';
import { forkWorkers } from './server/workers.ts';

type Traces = ReturnType<typeof import('./platform/observability/otlp.ts').startOtlp>;
type Part = { stop: () => Promise<void> } | undefined;

interface Serving {
  config: Config;
  log: Logger;
  worker: WorkerProcess | undefined;
  stopRequested: Promise<void>;
}

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
  const parts =
    config.workers > 1 && !worker
      ? await startWorkers(config, log)
      : await startServing({ config, log, worker, stopRequested });
  await stopRequested;
  await stop(log, parts);
}

async function startWorkers(config: Config, log: Logger): Promise<Part[]> {
  const workers = forkWorkers(config.workers, log);
  let server: DatabaseServer | undefined;
  try {
    server = await open(config);
    print(await announcedIfSlow('starting the workers', workers.start(server)));
    return [workers, server];
  } catch (error) {
    await workers.stop().catch(() => {}); // those that had not started are killed
    await server?.stop();
    throw error;
  }
}

async function startServing({ config, log, worker, stopRequested }: Serving): Promise<Part[]> {
  const opening = worker ? assigned(worker, stopRequested) : open(config).then((server) => ({ isFirst: true, server }));
  // Loads while the database starts, because it takes a few hundred milliseconds.
  const modules = import('./server/serve.ts');
  for (const part of [opening, modules]) part.catch(() => {}); // reported below
  const traces = await startTraces(config, log);
  const { isFirst, server } = await opening;
  const { serve, describe } = await announcedIfSlow('loading modules', modules);
  const app = await serve(server, {
    config,
    log,
    isFirst,
    peers: worker,
    onFirstApplication: (credentials, file) => {
      const lines = Object.entries(credentials).map(([name, value]) => `  ${name}: ${value}`);
      print([`first application (also in ${file}):`, ...lines]);
    },
  });
  const description = isFirst ? await describe(app, config) : [];
  if (worker) worker.reportReady(description);
  else print(description);
  return [app, traces];
}

/** Loaded here, because a worker does not need it, and is forked before. */
async function open(config: Config): Promise<DatabaseServer> {
  const { openServer } = await import('./server/database-server.ts');
  return announcedIfSlow('starting the database', openServer(config));
}

/** The database server belongs to the primary process. */
async function assigned(worker: WorkerProcess, stopRequested: Promise<void>) {
  const assignment = await Promise.race([worker.assignment, stopRequested]);
  if (!assignment) process.exit(0);
  const { isFirst, database } = assignment;
  return { isFirst, server: { ...database, stop: async () => {} } };
}

function print(lines: string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
}

/** Prints the name of a step that takes longer than a second; for workers, the primary process does. */
async function announcedIfSlow<Result>(text: string, step: Promise<Result>): Promise<Result> {
  const timer = setTimeout(() => cluster.isPrimary && process.stderr.write(`atrium: ${text}\n`), SECOND);
  return step.finally(() => clearTimeout(timer));
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
  const { startOtlp } = await import('./platform/observability/otlp.ts');
  const started = startOtlp(log);
  collectTraces(started.tracing);
  return started;
}

async function stop(log: Logger, parts: Part[]): Promise<void> {
  log.info('stopping');
  try {
    for (const part of parts) await part?.stop();
    process.exit(0);
  } catch (error) {
    log.error({ err: error }, 'the service did not stop gracefully');
    process.exit(1);
  }
}
