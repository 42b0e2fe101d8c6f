import type { ActingContext } from '../../context.ts';
import { Prisma, type Transaction } from '../../db/client.ts';
import { classNamed, type KnownClass, readAnew } from '../classes/catalogue.ts';
import { noteKinds } from '../classes/index.ts';

/** The class has become another one while records were written, or has to: the work begins anew with it. */
export class ClassChanged extends Error {
  readonly kinds: Parameters<typeof noteKinds>[1] | undefined;

  /** @param kinds records that the class has to say it has, before the first is stored */
  constructor(kinds?: Parameters<typeof noteKinds>[1]) {
    super('the class has changed');
    this.kinds = kinds;
  }
}

/** Who changes classes all the time has to leave others a chance. */
const MAX_TRIES = 10;

/** Runs some work with a class, again if the class is changed meanwhile. */
export async function withClass<Result>(
  className: string,
  { viewer }: ActingContext,
  work: (known: KnownClass) => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries++) {
    const known = await classNamed(className, viewer);
    try {
      return await work(known);
    } catch (error) {
      if (!(error instanceof ClassChanged) || tries === MAX_TRIES) throw error;
      if (error.kinds) await noteKinds(known, error.kinds);
      await readAnew(viewer.applicationId);
    }
  }
}

/**
 * Nobody changes or deletes the class until the transaction ends.
 * @throws {ClassChanged} it is another one than is known
 */
export async function holdClass(transaction: Transaction, { applicationId, key, version }: KnownClass): Promise<void> {
  const held = await transaction.$queryRaw<{ key: number }[]>(Prisma.sql`
    SELECT key FROM record_classes
    WHERE application_id = ${applicationId} AND key = ${key} AND version = ${version} FOR KEY SHARE`);
  if (held.length === 0) throw new ClassChanged();
}
