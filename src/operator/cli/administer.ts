import type { Command } from 'commander';
import type pg from 'pg';
import { pino } from 'pino';
import { readConfig } from '../../config.ts';
import type { Context, Services } from '../../context.ts';
import type { ActingViewer } from '../../lib/access.ts';
import { OPERATOR } from '../../lib/actor.ts';
import { NotFoundError } from '../../lib/errors.ts';
import { silentObserver } from '../../platform/observability/observer.ts';
import { findApplication } from '../../resolvers/applications/find.ts';
import { createContext, deriveContext } from '../../resolvers/create-context.ts';
import { createGateways } from '../../server/create-gateways.ts';
import { createServices } from '../../server/services.ts';
import { createEncrypter, openDatabase } from '../../server/startup.ts';
import { type CommandOutput, print } from './answer.ts';
import { onInterruption } from './interruption.ts';

interface Options {
  /** Whether the command creates a database if there is none. */
  mayCreate?: boolean;
}

/** Prints the result, unless the work has printed it itself, before it closes any connection, because secrets are shown only once. */
export async function administer(
  command: Command,
  work: (services: Services, databases: readonly pg.ClientConfig[]) => Promise<CommandOutput | undefined>,
  { mayCreate = false }: Options = {},
): Promise<void> {
  const { signal, forget } = onInterruption();
  const config = { ...readConfig(), rateLimit: false };
  const database = await openDatabase(config, { mayCreate });
  try {
    const encrypter = await createEncrypter(config);
    const now = () => new Date();
    // Silent, because other processes notice changes within a second even if a notification fails.
    const log = pino({ level: 'silent' });
    const gateways = await createGateways(config, { now, log });
    const connections = {
      database: database.config,
      directDatabase: database.direct,
      otherDatabases: database.others,
    };
    const dependencies = { config, ...connections, now, log, encrypter, ...gateways };
    const { services, bus } = await createServices(dependencies, silentObserver, {
      main: () => `http://${config.host}:${config.port}`,
      console: () => `http://${config.host}:${config.consolePort}`,
    });
    await bus.start();
    try {
      // Not interrupted from here on, because the output may contain secrets that are shown only once.
      signal.throwIfAborted();
      const answer = await work(services, [database.direct, ...database.others]);
      if (answer) await print(answer, { json: command.optsWithGlobals().json === true });
      if (answer?.failure) throw new Error(answer.failure);
    } finally {
      await bus.stop();
      gateways.mailer.close();
      gateways.storage.close();
    }
  } finally {
    forget();
    await database.stop();
  }
}

type OperatorContext = Context & { viewer: ActingViewer };

export function administerApplication(
  command: Command,
  applicationId: number,
  work: (context: OperatorContext) => Promise<CommandOutput>,
): Promise<void> {
  return administer(command, async (services) => {
    const application = await findApplication(applicationId).catch(missing(`application ${applicationId}`));
    const { catalogueVersion } = application;
    const viewer: ActingViewer = { kind: 'key', applicationId, catalogueVersion, actor: OPERATOR };
    return work(deriveContext(createContext(services, viewer, { network: 'operator' }), { viewer }));
  });
}

export function missing(what: string, problem = 'does not exist') {
  return (error: unknown): never => {
    throw error instanceof NotFoundError ? new Error(`${what} ${problem}`) : error;
  };
}
