import type { ActingContext } from '../../context.ts';
import { Prisma, type Transaction } from '../../db/client.ts';
import { transact } from '../../db/transact.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { ForbiddenError, ServiceUnavailableError } from '../../lib/errors.ts';
import { Semaphore } from '../../lib/semaphore.ts';
import {
  type Catalogue,
  type CatalogueReader,
  type ClassDefinition,
  catalogueOf,
  noteKinds,
  reloadCatalogue,
} from '../classes/catalogue.ts';

/**
 * The class has become another one while records were written, or has to, or somebody else was in the way: the work
 * begins anew with the class as it is then.
 */
export class ClassChanged extends Error {
  readonly kinds: Parameters<typeof noteKinds>[1] | undefined;

  /** @param kinds records that the class has to say it has, before the first is stored */
  constructor(kinds?: Parameters<typeof noteKinds>[1]) {
    super('the class has changed');
    this.kinds = kinds;
  }
}

/** More are needed by nobody: only kinds of records that are noted, and indexes that get ready, come in between at last. */
const MAX_TRIES = 10;

/** Tries that hope for the best; the next ones keep the classes from being changed meanwhile. */
const HOPEFUL_TRIES = 3;

/** Work that keeps classes from being changed takes two of the few connections that transactions may have. */
const holders = new Semaphore({
  concurrency: 2,
  concurrencyPerOwner: [1],
  maxWaiting: 1_000,
  maxWaitingPerOwner: [200],
  refuse: () => new ServiceUnavailableError(),
});

/** Runs some work with a class, again if the class is changed meanwhile. */
export function withClass<Result>(
  className: string,
  { viewer }: ActingContext,
  work: (known: ClassDefinition) => Promise<Result>,
): Promise<Result> {
  return withClasses(viewer, async ({ byName }) => {
    const known = byName.get(className);
    if (!known) throw new ForbiddenError('Undefined class');
    try {
      return await work(known);
    } catch (error) {
      if (error instanceof ClassChanged && error.kinds) await noteKinds(known, error.kinds);
      throw error;
    }
  });
}

/** The same with all classes of the application, for work that finds out only then which one it needs. */
export async function withClasses<Result>(
  reader: CatalogueReader,
  work: (classes: Catalogue) => Promise<Result>,
): Promise<Result> {
  const { applicationId, catalogueVersion } = reader;
  for (let tries = 1; ; tries++) {
    try {
      if (tries === 1) return await work(await catalogueOf(applicationId, catalogueVersion));
      if (tries <= HOPEFUL_TRIES) return await work(await reloadCatalogue(applicationId));
      return await whileUnchanged(applicationId, async () => work(await reloadCatalogue(applicationId)));
    } catch (error) {
      if (!(error instanceof ClassChanged) || tries === MAX_TRIES) throw error;
    }
  }
}

/** Waits for those who are just changing classes of the application, and does something before the next ones may. */
function whileUnchanged<Result>(applicationId: number, act: () => Promise<Result>): Promise<Result> {
  const owner = [...jobOwnerOf({ applicationId }), 'classes'];
  const hold = () =>
    transact(owner, async (transaction) => {
      await transaction.$queryRaw`
        SELECT key FROM record_classes WHERE application_id = ${applicationId} ORDER BY key FOR KEY SHARE`;
      return act();
    });
  return holders.run(hold, owner);
}

/**
 * Nobody changes or deletes the class until the transaction ends.
 * @throws {ClassChanged} it is another one than is known
 */
export async function lockClass(
  transaction: Transaction,
  { applicationId, key, version }: ClassDefinition,
): Promise<void> {
  const held = await transaction.$queryRaw<{ key: number }[]>(Prisma.sql`
    SELECT key FROM record_classes
    WHERE application_id = ${applicationId} AND key = ${key} AND version = ${version} FOR KEY SHARE`);
  if (held.length === 0) throw new ClassChanged();
}
