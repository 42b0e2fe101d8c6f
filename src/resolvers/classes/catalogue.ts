import { db, type Prisma, type Transaction } from '../../db/client.ts';
import { coalesce } from '../../db/coalesce.ts';
import { query } from '../../db/query.ts';
import { onNewTimeline } from '../../db/timeline.ts';
import { transact } from '../../db/transact.ts';
import type { IndexState } from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { groupBy, indexBy } from '../../lib/collections.ts';
import { ForbiddenError } from '../../lib/errors.ts';
import type { Grants } from './grants.ts';
import { type CompoundSlot, MAX_COMPOUND_BYTES, MAX_INDEXED_BYTES, type Slot } from './slots.ts';
import type { FieldType } from './values.ts';

export interface StoredField {
  name: string;
  type: FieldType;
  isArray: boolean;
  isRequired: boolean;
  isUnique: boolean;
  /** Column of `records` that copies the value for an index. */
  slot: Slot | null;
  indexState: IndexState;
}

export interface ClassField extends StoredField {
  /** Limit of texts that are in an index. */
  maxBytes: number | null;
  /** The field, or an index that includes it, is unique. */
  isInUniqueKey: boolean;
}

/** Compound index: of several fields. */
export interface ClassIndex {
  /** Column of `records` with the values of the fields. */
  slot: CompoundSlot;
  fields: string[];
  isUnique: boolean;
  state: IndexState;
}

/** Immutable; every change of a class increments `version`. */
export interface ClassDefinition {
  applicationId: number;
  key: number;
  id: string;
  name: string;
  version: number;
  creators: Grants;
  readers: Grants;
  updaters: Grants;
  deleters: Grants;
  hasOpen: boolean;
  hasPrivate: boolean;
  hasShared: boolean;
  createdAt: Date;
  updatedAt: Date;
  /** In creation order. */
  fields: ReadonlyMap<string, ClassField>;
  indexes: readonly ClassIndex[];
}

export interface Catalogue {
  applicationId: number;
  version: number;
  byName: ReadonlyMap<string, ClassDefinition>;
  byKey: ReadonlyMap<number, ClassDefinition>;
}

/** Applications in memory; the least recently loaded one is evicted first. */
const MAX_KEPT = 1_000;

let keptByDatabase = new WeakMap<object, Map<number, Catalogue>>();

// Versions may be assigned again to other classes.
onNewTimeline(() => {
  keptByDatabase = new WeakMap();
});

/**
 * The version comes with the credentials of each request (`Viewer.catalogueVersion`), so that the next request sees a
 * change by any process.
 */
export async function catalogueOf(applicationId: number, atLeast: number): Promise<Catalogue> {
  const cached = keptCatalogues().get(applicationId);
  return cached && cached.version >= atLeast ? cached : reloadCatalogue(applicationId);
}

export async function reloadCatalogue(applicationId: number): Promise<Catalogue> {
  const catalogue = await readCatalogue(applicationId);
  const kept = keptCatalogues();
  const cached = kept.get(applicationId);
  if (cached && cached.version > catalogue.version) return cached;
  kept.delete(applicationId);
  kept.set(applicationId, catalogue);
  for (const oldest of kept.keys()) {
    if (kept.size <= MAX_KEPT) break;
    kept.delete(oldest);
  }
  return catalogue;
}

/** Without reading it; undefined: no request has needed it recently. */
export function keptCatalogue(applicationId: number): Catalogue | undefined {
  return keptCatalogues().get(applicationId);
}

function keptCatalogues(): Map<number, Catalogue> {
  const kept = keptByDatabase.get(db) ?? new Map<number, Catalogue>();
  keptByDatabase.set(db, kept);
  return kept;
}

/** For reads outside a request, which therefore have no catalogue version. */
export async function currentCatalogue(applicationId: number): Promise<Catalogue> {
  return catalogueOf(applicationId, await readVersion(applicationId));
}

const readVersion = coalesce(
  async (calls: number[], id: number): Promise<number[]> => {
    const row = await db.application.findUnique({ where: { id }, select: { catalogueVersion: true } });
    return calls.map(() => row?.catalogueVersion ?? 0);
  },
  { max: 100, applicationOf: (applicationId) => applicationId },
);

export interface CatalogueReader {
  applicationId: number;
  catalogueVersion: number;
}

/** @throws {ForbiddenError} `Undefined class` */
export async function classNamed(name: string, reader: CatalogueReader): Promise<ClassDefinition> {
  const { byName } = await catalogueOf(reader.applicationId, reader.catalogueVersion);
  return requireClass(byName, name);
}

interface ClassRow extends Omit<ClassDefinition, 'fields' | 'indexes'> {
  catalogueVersion: number;
}

const readCatalogue = coalesce(
  async (calls: number[], applicationId: number): Promise<Catalogue[]> => {
    // One statement, so that version and classes are consistent.
    const [row] = await query<{
      version: number;
      classes: ClassRow[] | null;
      fields: FieldRow[] | null;
      indexes: IndexRow[] | null;
    }>`
      SELECT a.catalogue_version AS version,
        (SELECT json_agg(json_build_object('applicationId', c.application_id, 'key', c.key, 'id', c.id,
            'name', c.name, 'version', c.version, 'creators', c.creators, 'readers', c.readers,
            'updaters', c.updaters, 'deleters', c.deleters, 'hasOpen', c.has_open, 'hasPrivate', c.has_private,
            'hasShared', c.has_shared, 'createdAt', c.created_at, 'updatedAt', c.updated_at) ORDER BY c.name)
          FROM record_classes c WHERE c.application_id = ${applicationId}) AS classes,
        (SELECT json_agg(json_build_object('classKey', f.class_key, 'name', f.name, 'type', f.type,
            'isArray', f.is_array, 'isRequired', f.is_required, 'isUnique', f.is_unique, 'slot', f.slot,
            'indexState', f.index_state) ORDER BY f.class_key, f.position)
          FROM class_fields f WHERE f.application_id = ${applicationId}) AS fields,
        (SELECT json_agg(json_build_object('classKey', i.class_key, 'slot', i.slot, 'fields', i.fields,
            'isUnique', i.is_unique, 'state', i.state) ORDER BY i.class_key, i.slot)
          FROM class_indexes i WHERE i.application_id = ${applicationId}) AS indexes
      FROM applications a WHERE a.id = ${applicationId}`;
    const catalogue = catalogueFrom(applicationId, row?.version ?? 0, {
      classes: row?.classes ?? [],
      fields: row?.fields ?? [],
      indexes: row?.indexes ?? [],
    });
    return calls.map(() => catalogue);
  },
  { max: 100, applicationOf: (applicationId) => applicationId },
);

interface FieldRow extends StoredField {
  classKey: number;
}

interface IndexRow extends ClassIndex {
  classKey: number;
}

interface CatalogueRows {
  classes: ClassRow[];
  fields: FieldRow[];
  indexes: IndexRow[];
}

function catalogueFrom(applicationId: number, version: number, rows: CatalogueRows): Catalogue {
  const fields = groupBy(rows.fields, ({ classKey }) => classKey);
  const indexes = groupBy(rows.indexes, ({ classKey }) => classKey);
  const classes = rows.classes.map((row) => ({
    ...row,
    createdAt: new Date(row.createdAt),
    updatedAt: new Date(row.updatedAt),
    ...withIndexes(fields.get(row.key) ?? [], indexes.get(row.key) ?? []),
  }));
  return {
    applicationId,
    version,
    byName: indexBy(classes, ({ name }) => name),
    byKey: indexBy(classes, ({ key }) => key),
  };
}

export function withIndexes(
  fields: readonly StoredField[],
  indexes: readonly ClassIndex[],
): Pick<ClassDefinition, 'fields' | 'indexes'> {
  const kept = indexes.filter(({ state }) => state !== 'dropping');
  const ruled = fields.map((field) => {
    const including = kept.filter((index) => index.fields.includes(field.name));
    const isIndexed = field.isUnique || field.slot !== null;
    return {
      ...field,
      maxBytes: including.length > 0 ? MAX_COMPOUND_BYTES : isIndexed ? MAX_INDEXED_BYTES : null,
      isInUniqueKey: field.isUnique || including.some(({ isUnique }) => isUnique),
    };
  });
  return { fields: indexBy(ruled, ({ name }) => name), indexes };
}

/** Records the kinds of permissions in use. Call it before the first record of a kind is stored. */
export async function noteKinds(
  { applicationId, key }: ClassDefinition,
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

/** Invalidates the catalogues that processes cache. */
export async function renewCatalogue(transaction: Transaction, applicationId: number): Promise<void> {
  await transaction.application.update({
    where: { id: applicationId },
    data: { catalogueVersion: { increment: 1 } },
  });
}

export async function reloadClass(applicationId: number, name: string): Promise<ClassDefinition> {
  const { byName } = await reloadCatalogue(applicationId);
  return requireClass(byName, name);
}

function requireClass(byName: Catalogue['byName'], name: string): ClassDefinition {
  const found = byName.get(name);
  if (!found) throw new ForbiddenError('CLASS_UNDEFINED');
  return found;
}
