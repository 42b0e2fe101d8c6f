import type { ActingContext } from '../../context.ts';
import { Prisma, type Transaction } from '../../db/client.ts';
import { lanes } from '../../db/lanes.ts';
import { transact } from '../../db/transact.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { ForbiddenError } from '../../lib/errors.ts';
import {
  type Catalogue,
  type CatalogueReader,
  type ClassDefinition,
  catalogueOf,
  noteKinds,
  reloadCatalogue,
} from '../classes/catalogue.ts';

/** The class changed, or must change first, or a concurrent change interfered: retry with the new class. */
export class ClassChanged extends Error {
  readonly kinds: Parameters<typeof noteKinds>[1] | undefined;

  /** @param kinds of permissions to note before the first record is stored */
  constructor(kinds?: Parameters<typeof noteKinds>[1]) {
    super('the class has changed');
    this.kinds = kinds;
  }
}

/** Practically unreachable: retries are caused only by noted kinds of permissions and finished indexes. */
const MAX_TRIES = 10;

/** Optimistic tries; later ones lock the classes. */
const OPTIMISTIC_TRIES = 3;

export function withClass<Result>(
  className: string,
  { viewer }: ActingContext,
  work: (definition: ClassDefinition) => Promise<Result>,
): Promise<Result> {
  return withClasses(viewer, async ({ byName }) => {
    const definition = byName.get(className);
    if (!definition) throw new ForbiddenError('CLASS_UNDEFINED');
    try {
      return await work(definition);
    } catch (error) {
      if (error instanceof ClassChanged && error.kinds) await noteKinds(definition, error.kinds);
      throw error;
    }
  });
}

/** Passes all classes, for work that selects its class later. */
export async function withClasses<Result>(
  reader: CatalogueReader,
  work: (classes: Catalogue) => Promise<Result>,
): Promise<Result> {
  const { applicationId, catalogueVersion } = reader;
  for (let tries = 1; ; tries++) {
    try {
      if (tries === 1) return await work(await catalogueOf(applicationId, catalogueVersion));
      if (tries <= OPTIMISTIC_TRIES) return await work(await reloadCatalogue(applicationId));
      return await whileLocked(applicationId, async () => work(await reloadCatalogue(applicationId)));
    } catch (error) {
      if (!(error instanceof ClassChanged) || tries === MAX_TRIES) throw error;
    }
  }
}

/** Waits for running changes of classes, and blocks new ones while `act` runs. */
function whileLocked<Result>(applicationId: number, act: () => Promise<Result>): Promise<Result> {
  const owner = [...jobOwnerOf({ applicationId }), 'classes'];
  const lockAndAct = () =>
    transact(owner, async (transaction) => {
      await transaction.$queryRaw`
        SELECT key FROM record_classes WHERE application_id = ${applicationId} ORDER BY key FOR KEY SHARE`;
      return act();
    });
  return lanes.classLocks.run(lockAndAct, owner);
}

/** Blocks changes of the class until the transaction ends. @throws {ClassChanged} it has another version */
export async function lockClassForWrite(
  transaction: Transaction,
  { applicationId, key, version }: ClassDefinition,
): Promise<void> {
  const locked = await transaction.$queryRaw<{ key: number }[]>(Prisma.sql`
    SELECT key FROM record_classes
    WHERE application_id = ${applicationId} AND key = ${key} AND version = ${version} FOR KEY SHARE`);
  if (locked.length === 0) throw new ClassChanged();
}
