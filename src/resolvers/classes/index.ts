import type { AdministrationContext } from '../../context.ts';
import { Prisma, type Transaction } from '../../db/client.ts';
import { sqlState } from '../../db/failures.ts';
import { newId } from '../../db/ids.ts';
import { transact } from '../../db/transact.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { isClassName } from '../../lib/class-names.ts';
import { ForbiddenError, ServiceUnavailableError, UnprocessableError } from '../../lib/errors.ts';
import { type Grants, grantsOf, type Permission } from '../../lib/grants.ts';
import { MAX_INDEXED_BYTES, slotKindOf } from '../../lib/record-slots.ts';
import { Semaphore } from '../../lib/semaphore.ts';
import { announceDeletedClass } from '../../realtime/outbox.ts';
import { sweepDeletedClasses } from '../records/sweep.ts';
import { type ClassField, catalogueOf, classNamed, type KnownClass, readAnew } from './catalogue.ts';
import { changedFields, type FieldChange, type FieldInput } from './definition.ts';
import { settleIndexes } from './indexes.ts';

/** Who may do what with the records of a class; what is left out stays as it is, or becomes the default. */
export interface ClassPermissions {
  create?: Permission | null;
  read?: Permission | null;
  update?: Permission | null;
  delete?: Permission | null;
}

export interface NewClass {
  name: string;
  fields?: FieldInput[] | null;
  permissions?: ClassPermissions | null;
}

export type ClassChanges = Omit<NewClass, 'name'>;

const DEFAULTS: Required<{ [Operation in keyof ClassPermissions]: Permission }> = {
  create: { access: 'open' },
  read: { access: 'open' },
  update: { access: 'owner' },
  delete: { access: 'owner' },
};

/**
 * Defines a class of the key's application (gaps §8).
 * @throws {UnprocessableError} with all sentences that apply
 */
export async function createClass(input: NewClass, { viewer, now }: AdministrationContext): Promise<KnownClass> {
  const { applicationId } = viewer;
  const { name, permissions } = input;
  if (!isClassName(name)) throw new UnprocessableError('Name is invalid');
  const at = now();
  try {
    await transact(jobOwnerOf({ applicationId }), async (transaction) => {
      const { key } = await transaction.recordClass.create({
        data: {
          applicationId,
          id: newId(at),
          name,
          ...grantsIn({ ...DEFAULTS, ...given(permissions) }),
          createdAt: at,
          updatedAt: at,
        },
      });
      await storeFields(
        transaction,
        { applicationId, key },
        changedFields(new Map(), input.fields ?? [], { isEmpty: true }),
      );
      await renewCatalogue(transaction, applicationId);
    });
  } catch (error) {
    if (sqlState(error) === '23505') throw new UnprocessableError('Name has already been taken');
    throw error;
  }
  return findAnew(applicationId, name);
}

/** All classes of the application, by name. */
export async function listClasses({ viewer }: AdministrationContext): Promise<KnownClass[]> {
  const { byName } = await catalogueOf(viewer.applicationId, viewer.catalogueVersion);
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** @throws {ForbiddenError} `Undefined class` */
export function findClass(name: string, { viewer }: AdministrationContext): Promise<KnownClass> {
  return classNamed(name, viewer);
}

/**
 * Adds fields, changes their options, replaces the given permissions. Whoever is just writing records is waited for, and
 * whoever comes later knows of the change; the index of a field that records have already is made in the background.
 * @throws {ForbiddenError} `Undefined class`
 * @throws {UnprocessableError} with all sentences that apply
 */
export async function updateClass(
  name: string,
  changes: ClassChanges,
  context: AdministrationContext,
): Promise<KnownClass> {
  const { viewer, now, log } = context;
  const { applicationId } = viewer;
  const at = now();
  const grants = grantsIn(given(changes.permissions));
  await changing(applicationId, async (transaction) => {
    const held = await holdClass(transaction, applicationId, name);
    const isEmpty = (await transaction.record.findFirst({ where: ofClass(held), select: { id: true } })) === null;
    const fields = changedFields(held.fields, changes.fields ?? [], { isEmpty });
    for (const change of fields) await prepareField(transaction, held, change);
    await storeFields(transaction, held, fields);
    await transaction.recordClass.update({
      where: { applicationId_key: { applicationId, key: held.key } },
      data: { ...grants, version: { increment: 1 }, updatedAt: at },
    });
    await renewCatalogue(transaction, applicationId);
  });
  settleIndexes(applicationId).catch((error) => log.warn({ err: error }, 'indexes of a class wait for the next sweep'));
  return findAnew(applicationId, name);
}

/** A change of a class waits for its writers with a connection in hand, and may scan all its records. */
const changers = new Semaphore({
  concurrency: 2,
  concurrencyPerOwner: [1],
  maxWaiting: 1_000,
  maxWaitingPerOwner: [200],
  refuse: () => new ServiceUnavailableError(),
});

/** Making a field unique reads all records of the class at once, because none may be written in the meantime. */
const SCAN_TIMEOUT_MS = 10 * 60 * 1_000;

/**
 * Deletes a class; its records are gone with it at once, and taken away bit by bit.
 * @throws {ForbiddenError} `Undefined class`
 */
export async function deleteClass(name: string, { viewer, now, outbox, log }: AdministrationContext): Promise<true> {
  const { applicationId } = viewer;
  await changing(applicationId, async (transaction) => {
    const { key } = await holdClass(transaction, applicationId, name);
    await transaction.recordClass.delete({ where: { applicationId_key: { applicationId, key } } });
    await transaction.deletedClass.create({ data: { applicationId, classKey: key } });
    await announceDeletedClass(transaction, { applicationId, classKey: key }, now());
    await renewCatalogue(transaction, applicationId);
  });
  await readAnew(applicationId);
  outbox.wake();
  sweepDeletedClasses(now()).catch((error) => log.warn({ err: error }, 'records of a class wait for the next sweep'));
  return true;
}

function changing(applicationId: number, change: (transaction: Transaction) => Promise<void>): Promise<void> {
  const owner = jobOwnerOf({ applicationId });
  return changers.run(() => transact(owner, change, { timeoutMs: SCAN_TIMEOUT_MS }), owner);
}

/** Notes that the class has records of a kind that it had none of, before the first is stored. */
export async function noteKinds(
  { applicationId, key }: KnownClass,
  kinds: Pick<Prisma.RecordClassUpdateInput, 'hasOpen' | 'hasPrivate' | 'hasShared'>,
): Promise<void> {
  await transact(jobOwnerOf({ applicationId }), async (transaction) => {
    await transaction.recordClass.updateMany({
      where: { applicationId, key },
      data: { ...kinds, version: { increment: 1 } },
    });
    await renewCatalogue(transaction, applicationId);
  });
}

/** Every process notices by it that what it knows of the application's classes is old. */
export async function renewCatalogue(transaction: Transaction, applicationId: number): Promise<void> {
  await transaction.application.update({
    where: { id: applicationId },
    data: { catalogueVersion: { increment: 1 } },
  });
}

/** The class as it is now; nobody writes records of it until the transaction ends. */
async function holdClass(transaction: Transaction, applicationId: number, name: string): Promise<KnownClass> {
  const held = await transaction.$queryRaw<{ key: number }[]>`
    SELECT key FROM record_classes WHERE application_id = ${applicationId} AND name = ${name} FOR UPDATE`;
  if (held.length === 0) throw new ForbiddenError('Undefined class');
  const row = await transaction.recordClass.findUniqueOrThrow({
    where: { applicationId_key: { applicationId, key: held[0]!.key } },
    include: { fields: { orderBy: { position: 'asc' } } },
  });
  return { ...row, fields: new Map(row.fields.map((field) => [field.name, field as ClassField])) };
}

function ofClass({ applicationId, key }: KnownClass) {
  return { applicationId, classKey: key };
}

async function findAnew(applicationId: number, name: string): Promise<KnownClass> {
  const { byName } = await readAnew(applicationId);
  const found = byName.get(name);
  if (!found) throw new ForbiddenError('Undefined class');
  return found;
}

/** What an option demands of the records that are there. */
async function prepareField(transaction: Transaction, held: KnownClass, { before, after }: FieldChange): Promise<void> {
  const { applicationId, key } = held;
  const { name } = after;
  const records = Prisma.sql`records r WHERE r.application_id = ${applicationId} AND r.class_key = ${key}`;
  const hasValue = before && Prisma.sql`jsonb_exists(r.fields, ${name})`;
  if (!hasValue) return;
  const needsShort = after.indexState === 'building' || after.isUnique;
  if (needsShort && slotKindOf(after) === 'text') {
    const [long] = await transaction.$queryRaw<{ id: string }[]>`
      SELECT r.id FROM ${records} AND octet_length(r.fields ->> ${name}) > ${MAX_INDEXED_BYTES} LIMIT 1`;
    if (long) throw new UnprocessableError(`Field ${name} is too long (maximum is ${MAX_INDEXED_BYTES} bytes)`);
  }
  if (after.isUnique && !before.isUnique) {
    const added = transaction.$executeRaw`
      INSERT INTO record_keys (application_id, class_key, field, value, record_id)
      SELECT r.application_id, r.class_key, ${name}, r.fields ->> ${name}, r.id FROM ${records} AND ${hasValue}`;
    await added.catch((error) => {
      if (sqlState(error) === '23505') throw new UnprocessableError(`Field ${name} has values that are not unique`);
      throw error;
    });
  }
  if (before.isUnique && !after.isUnique) {
    await transaction.recordKey.deleteMany({ where: { applicationId, classKey: key, field: name } });
  }
}

async function storeFields(
  transaction: Transaction,
  { applicationId, key }: { applicationId: number; key: number },
  changes: FieldChange[],
): Promise<void> {
  const count = await transaction.classField.count({ where: { applicationId, classKey: key } });
  let position = count;
  for (const { before, after } of changes) {
    if (before) {
      const where = { applicationId_classKey_name: { applicationId, classKey: key, name: after.name } };
      await transaction.classField.update({ where, data: after });
    } else {
      await transaction.classField.create({ data: { applicationId, classKey: key, position: position++, ...after } });
    }
  }
}

/** The permissions that are given. */
function given(permissions: ClassPermissions | null | undefined): Partial<typeof DEFAULTS> {
  return Object.fromEntries(Object.entries(permissions ?? {}).filter(([, permission]) => permission != null));
}

function grantsIn({ create, read, update, delete: remove }: Partial<typeof DEFAULTS>): {
  creators?: Grants;
  readers?: Grants;
  updaters?: Grants;
  deleters?: Grants;
} {
  return {
    ...(create ? { creators: grantsOf(create) } : {}),
    ...(read ? { readers: grantsOf(read) } : {}),
    ...(update ? { updaters: grantsOf(update) } : {}),
    ...(remove ? { deleters: grantsOf(remove) } : {}),
  };
}
