import { Prisma } from '../../db/client.ts';
import { coalesce } from '../../db/coalesce.ts';
import { columns } from '../../db/columns.ts';
import { queryAs } from '../../db/query.ts';
import { waitForLocks } from '../../db/transact.ts';
import type { FairnessPath } from '../../lib/semaphore.ts';
import type { ClassDefinition } from '../classes/catalogue.ts';
import { NEW_COLUMNS, NEW_INPUT, NEW_VALUES, newRow, type RecordRow } from './rows.ts';
import { MAX_BATCH_BYTES } from './sizes.ts';
import { hasUniqueKeys, uniqueKeys } from './unique.ts';

export interface Batch {
  definition: ClassDefinition;
  rows: RecordRow[];
  bytes: number;
  owner: FairnessPath;
}

/** `changed`: the class has another version, or a parent was deleted. `locked`: another transaction locks one. */
type Outcome = 'stored' | 'changed' | 'locked';

/** Coalesces with other requests unless it must wait for locks or unique values. @returns false to retry */
export async function storeBatch(batch: Batch): Promise<boolean> {
  if (!hasUniqueKeys(batch.definition)) {
    const outcome = await storeTogether(batch);
    if (outcome !== 'locked') return outcome === 'stored';
  }
  const [alone] = await waitForLocks(batch.owner, () => store([batch], batch.definition.applicationId, Prisma.empty));
  return alone === 'stored';
}

const storeTogether = coalesce(
  (batches: Batch[], applicationId: number) => store(batches, applicationId, SKIP_LOCKED),
  {
    applicationOf: ({ definition }) => definition.applicationId,
    actorOf: ({ owner }) => owner.actor,
    ownerOf: ({ owner }) => owner,
    maxBytes: MAX_BATCH_BYTES,
    bytesOf: ({ bytes }) => bytes,
  },
);

const CHECKED = columns({
  batch: ['int', 'c.batch'],
  isLocked: ['boolean', 'c."isLocked"'],
  isKnown: ['boolean', 'c."isKnown"'],
  hasParents: ['boolean', 'c."hasParents"'],
});

const SKIP_LOCKED = Prisma.sql`SKIP LOCKED`;

// Stores a batch only if its class version is current. Locks parents, so that no record outlives its parent.
async function store(batches: Batch[], applicationId: number, skipLocked: Prisma.Sql): Promise<Outcome[]> {
  const given = batches.flatMap(({ definition, rows }, batch) =>
    rows.map((row) =>
      Object.assign(newRow(row, definition), {
        batch,
        version: definition.version,
        keys: uniqueKeys(definition, row.fields),
      }),
    ),
  );
  const keys = batches.some(({ definition }) => hasUniqueKeys(definition))
    ? Prisma.sql`, claimed AS (
      INSERT INTO record_keys (application_id, class_key, field, value, record_id)
      SELECT ${applicationId}::int, g."classKey", u.field, coalesce(u.value, g.fields ->> u.field), g.id
      FROM sound g, json_to_recordset(g.keys) AS u (field text, value text)
      ORDER BY 1, 2, 3, 4
    )`
    : Prisma.empty;
  const rows = await queryAs(batches[0]!.owner.actor)`
    WITH given AS MATERIALIZED (
      SELECT g.* FROM json_to_recordset(${JSON.stringify(given)}::json) AS g (
        batch int, version int, keys json, ${NEW_INPUT})
    ), held AS MATERIALIZED (
      SELECT c.key, c.version FROM record_classes c
      WHERE c.application_id = ${applicationId} AND c.key IN (SELECT "classKey" FROM given)
      ORDER BY c.key FOR KEY SHARE ${skipLocked}
    ), parents AS MATERIALIZED (
      SELECT r.id FROM records r
      WHERE r.application_id = ${applicationId} AND r.id IN (SELECT "parentId" FROM given WHERE "parentId" IS NOT NULL)
      ORDER BY r.id FOR KEY SHARE ${skipLocked}
    ), checked AS MATERIALIZED (
      SELECT g.batch, bool_and(h.key IS NOT NULL) AS "isKnown",
        bool_and(g."parentId" IS NULL OR p.id IS NOT NULL) AS "hasParents",
        bool_or((h.key IS NULL AND c.key IS NOT NULL) OR (p.id IS NULL AND r.id IS NOT NULL)) AS "isLocked"
      FROM given g LEFT JOIN held h ON h.key = g."classKey" AND h.version = g.version
      LEFT JOIN record_classes c
        ON c.application_id = ${applicationId} AND c.key = g."classKey" AND c.version = g.version
      LEFT JOIN parents p ON p.id = g."parentId"
      LEFT JOIN records r ON r.application_id = ${applicationId} AND r.id = g."parentId"
      GROUP BY g.batch
    ), sound AS MATERIALIZED (
      SELECT g.* FROM given g JOIN checked c USING (batch) WHERE c."isKnown" AND c."hasParents"
    ), stored AS (
      INSERT INTO records (application_id, ${NEW_COLUMNS}) SELECT ${applicationId}::int, ${NEW_VALUES}
      FROM sound g
      RETURNING application_id, id, class_key, user_id, created_at
    )${keys}, published AS (
      INSERT INTO events_outbox (application_id, kind, class_key, subject_id, user_id, created_at)
      SELECT application_id, 'recordCreated', class_key, id, nullif(user_id, 0), created_at FROM stored ORDER BY id
    )
    SELECT ${CHECKED} FROM checked c`;
  const checked = new Map(rows.map((row) => [row.batch, row]));
  return batches.map((_batch, index) => {
    const { isLocked, isKnown, hasParents } = checked.get(index)!;
    if (isKnown && hasParents) return 'stored';
    return isLocked ? 'locked' : 'changed';
  });
}
