import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Logger } from 'pino';
import { type Config, readConfig } from './config.ts';
import { createSetupLink } from './resolvers/administrators/links.ts';
import { type ApplicationCredentials, bootstrapApplication } from './resolvers/applications/create.ts';
import { countUndecryptable } from './resolvers/applications/secrets.ts';
import { encryptIdentityProviders } from './resolvers/sessions/identity-providers.ts';
import { consoleLinks } from './server/console-links.ts';
import { createGateways } from './server/create-gateways.ts';
import type { Encrypter } from './server/encryption/encrypter.ts';
import type { App } from './server/lifecycle.ts';
import { createLog, readable } from './server/observability/log.ts';
import { collectTraces } from './server/observability/tracing.ts';
import { createEncrypter, naming, openDatabase } from './server/startup.ts';
import { workerProcess } from './server/worker.ts';
import { startWorkers, type Workers } from './server/workers.ts';

/** Per kind of secret. A sample suffices, because a wrong key fails on every secret. */
const SECRETS_TRIED = 10;

type Traces = ReturnType<typeof import('./server/observability/otlp.ts').startOtlp>;

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
  const database = await openDatabase(config);
  let app: App;
  try {
    const encrypter = worker ? await createEncrypter(config) : await prepare(config, log);
    const now = () => new Date();
    const gateways = await createGateways(config, { now, log });
    const { drainSeconds } = config;
    const connections = { database: database.config, directDatabase: database.direct };
    const { startApp } = await lifecycle;
    app = await startApp({
      config,
      drainSeconds,
      ...connections,
      now,
      log,
      encrypter,
      ...gateways,
      peers: worker,
    }).catch(naming('HOST, PORT', ['listen', 'bind', 'getaddrinfo']));
  } catch (error) {
    await database.stop();
    throw error;
  }
  const url = app.services.publicUrl();
  if (worker) worker.reportReady(url);
  else {
    if (url !== app.url) process.stdout.write(`listening at ${app.url}\n`);
    await reportReady(url, config);
  }
  await stopRequested;
  await stop(log, [app, database, traces]);
}

/** Workers open the database themselves, like other processes that share it. */
async function superviseWorkers(config: Config, log: Logger, stopRequested: Promise<void>): Promise<void> {
  const database = await openDatabase(config);
  let workers: Workers;
  try {
    await prepare(config, log);
    workers = await startWorkers(config.workers, log);
  } catch (error) {
    await database.stop();
    throw error;
  }
  await reportReady(workers.url, config);
  await stopRequested;
  await stop(log, [workers, database]);
}

/** With a link to create the first administrator as long as there is none. */
async function reportReady(url: string, config: Config): Promise<void> {
  const lines = [`atrium is ready at ${url}`];
  if (config.isConsoleOn) {
    const { consoleUrl } = consoleLinks(config, () => url);
    const link = await createSetupLink({ now: () => new Date(), consoleUrl });
    lines.push(link ? `console (valid for 15 minutes): ${link}` : `console: ${consoleUrl()}`);
  }
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** Work on the database that one process does. */
async function prepare(config: Config, log: Logger): Promise<Encrypter> {
  await bootstrap(config);
  const encrypter = await createEncrypter(config);
  await encryptIdentityProviders(encrypter);
  await warnIfKeyChanged(encrypter, log);
  return encrypter;
}

/**
 * Creates the first application of an empty database. Its secrets are printed and written to a file before the
 * transaction commits, because they cannot be displayed again.
 */
async function bootstrap({ bootstrap, dataDir }: Config): Promise<void> {
  const { applicationId: id, ...secrets } = bootstrap;
  const file = join(dataDir, 'credentials.json');
  const credentials = await bootstrapApplication({ id, name: 'first', ...secrets }, new Date(), (created) =>
    storeCredentials(created, file).catch(naming('DATA_DIR')),
  );
  if (!credentials) return;
  process.stdout.write(
    `first application (also in ${file}):\n` +
      Object.entries(credentials)
        .map(([name, value]) => `  ${name}: ${value}\n`)
        .join(''),
  );
}

async function storeCredentials(credentials: ApplicationCredentials, file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  await chmod(file, 0o600);
}

/** Only a warning, because everything that needs no secrets still works. */
async function warnIfKeyChanged(encrypter: Encrypter, log: Logger): Promise<void> {
  const count = await countUndecryptable(encrypter, { most: SECRETS_TRIED });
  if (count > 0) log.warn({ count }, 'ENCRYPTION_KEY cannot decrypt existing secrets; has it changed?');
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
