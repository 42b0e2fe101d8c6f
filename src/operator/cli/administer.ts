import type { Command } from 'commander';
import { pino } from 'pino';
import { readConfig } from '../../config.ts';
import type { AdministrationContext } from '../../context.ts';
import { NotFoundError } from '../../lib/errors.ts';
import { createBus } from '../../realtime/create-bus.ts';
import { Outbox } from '../../realtime/outbox.ts';
import { findApplication } from '../../resolvers/applications/find.ts';
import { consoleLinks } from '../../server/console-links.ts';
import { createEncrypter, openDatabase } from '../../server/startup.ts';
import { type Answer, print } from './answer.ts';
import { onInterruption } from './interruption.ts';

export type Administration = Omit<AdministrationContext, 'viewer'>;

/** Prints the result before it closes any connection, because secrets are shown only once. */
export async function administer(
  command: Command,
  work: (administration: Administration) => Promise<Answer>,
): Promise<void> {
  const { signal, forget } = onInterruption();
  const config = readConfig();
  const database = await openDatabase(config);
  try {
    const encrypter = await createEncrypter(config);
    // Silent, because other processes notice changes within a second even if a notification fails.
    const log = pino({ level: 'silent' });
    const bus = await createBus({ redisUrl: config.redisUrl, database: database.config, log });
    await bus.start();
    try {
      // Not interrupted from here on, because the output may contain secrets that are shown only once.
      signal.throwIfAborted();
      const { consoleUrl } = consoleLinks(config, () => config.publicUrl ?? `http://${config.host}:${config.port}`);
      const answer = await work({ now: () => new Date(), log, encrypter, outbox: new Outbox(bus), consoleUrl });
      await print(answer, { json: command.optsWithGlobals().json === true });
    } finally {
      await bus.stop();
    }
  } finally {
    forget();
    await database.stop();
  }
}

export function administerApplication(
  command: Command,
  id: number,
  work: (context: AdministrationContext) => Promise<Answer>,
): Promise<void> {
  return administer(command, async (administration) => {
    const { catalogueVersion } = await findApplication(id).catch(missing(`application ${id}`));
    return work({ ...administration, viewer: { applicationId: id, catalogueVersion } });
  });
}

export function missing(what: string, problem = 'does not exist') {
  return (error: unknown): never => {
    throw error instanceof NotFoundError ? new NotFoundError(`${what} ${problem}`) : error;
  };
}
