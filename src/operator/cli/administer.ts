import type { Command } from 'commander';
import { pino } from 'pino';
import { readConfig } from '../../config.ts';
import type { AdministrationContext } from '../../context.ts';
import { NotFoundError } from '../../lib/errors.ts';
import { createBus } from '../../realtime/create-bus.ts';
import { Outbox } from '../../realtime/outbox.ts';
import { findApplication } from '../../resolvers/applications/find.ts';
import { createEncrypter, openDatabase } from '../../server/startup.ts';
import { type Answer, print } from './answer.ts';
import { onInterruption } from './interruption.ts';

/** What a command works with. */
export type Administration = Omit<AdministrationContext, 'viewer'>;

/**
 * Does a command's work beside whatever processes serve, which are told of it, and prints what it answers before
 * anything else can go wrong: it may hold secrets that are shown this once.
 */
export async function administer(
  command: Command,
  work: (administration: Administration) => Promise<Answer>,
): Promise<void> {
  const { signal, forget } = onInterruption();
  const config = readConfig();
  const database = await openDatabase(config);
  try {
    const encrypter = await createEncrypter(config);
    // Other processes find out within a second even if they can't be told, so nobody needs to read of that.
    const log = pino({ level: 'silent' });
    const bus = createBus({ redisUrl: config.redisUrl, database: database.config, log });
    await bus.start();
    try {
      // What has begun is finished, and told: its secrets may be shown this once.
      signal.throwIfAborted();
      const answer = await work({ now: () => new Date(), log, encrypter, outbox: new Outbox(bus) });
      await print(answer, { json: command.optsWithGlobals().json === true });
    } finally {
      await bus.stop();
    }
  } finally {
    forget();
    await database.stop();
  }
}

/** As `administer`, for one application that is there. */
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

/** Says of what is not found what it is. */
export function missing(what: string) {
  return (error: unknown): never => {
    throw error instanceof NotFoundError ? new NotFoundError(`there is no ${what}`) : error;
  };
}
