import { setImmediate } from 'node:timers/promises';
import type { IdentifiedContext } from '../../context.ts';
import { Prisma } from '../../db/client.ts';
import { query } from '../../db/query.ts';
import { inLargeReadTurn } from '../../db/search-turns.ts';
import { jobOwnerOf, type Viewer } from '../../lib/access.ts';
import { groupBy } from '../../lib/collections.ts';
import type { ClassDefinition } from '../classes/catalogue.ts';
import type { StoredFields } from '../classes/values.ts';
import { readable } from './access.ts';
import type { PresentedRecord } from './rows.ts';
import { batchesOf, FIELD_BYTES, MAX_BATCH_BYTES } from './sizes.ts';

interface Wanted {
  record: PresentedRecord;
  /** Null: all fields. */
  name: string | null;
  resolve: (fields: StoredFields) => void;
  reject: (error: unknown) => void;
}

/** A promise only if large fields must be read. @param name null: all fields */
export function withFields<Value>(
  record: PresentedRecord,
  name: string | null,
  context: IdentifiedContext,
  make: (fields: StoredFields) => Value,
): Value | Promise<Value> {
  if (record.fields) return make(record.fields);
  return context.loaders.of(largeFields).load(record, name, context).then(make);
}

const largeFields = (_viewer: Viewer) => new LargeFields();

// Delivers each batch before it reads the next one, so that reading stops once the response is too large.
class LargeFields {
  #waiting: Wanted[] = [];

  load(record: PresentedRecord, name: string | null, context: IdentifiedContext): Promise<StoredFields> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) void this.#readNext(context);
      this.#waiting.push({ record, name, resolve, reject });
    });
  }

  async #readNext(context: IdentifiedContext): Promise<void> {
    await setImmediate();
    const wanted = this.#waiting;
    this.#waiting = [];
    const callerLeft = context.callerLeft?.();
    const isNeeded = () => !context.responseSize?.problem && !callerLeft?.aborted;
    try {
      await inLargeReadTurn(jobOwnerOf(context.viewer), async () => {
        for (const [definition, ofClass] of groupBy(wanted, ({ record }) => record.class)) {
          await readOfClass(definition, ofClass, context, isNeeded);
        }
      });
    } catch (error) {
      for (const { reject } of wanted) reject(error);
    }
  }
}

async function readOfClass(
  definition: ClassDefinition,
  wanted: Wanted[],
  { viewer }: IdentifiedContext,
  isNeeded: () => boolean,
): Promise<void> {
  const byId = groupBy(wanted, ({ record }) => record.id);
  const names = wanted.some(({ name }) => name === null) ? null : [...new Set(wanted.map(({ name }) => name!))];
  const selected = selection(names);
  const where = (ids: string[]) => Prisma.sql`
    r.application_id = ${definition.applicationId} AND r.id = ANY(${ids}::text[]) AND r.class_key = ${definition.key}
    AND ${readable(definition, viewer)}`;
  const deliver = async (rows: { id: string; fields: StoredFields | null }[]) => {
    for (const { id, fields } of rows) for (const { resolve } of byId.get(id)!) resolve(fields!);
    // The response size must include this batch before the next one is read.
    await setImmediate();
  };
  const first = isNeeded()
    ? await query<{ id: string; bytes: number; fields: StoredFields | null }>`
        WITH sized AS MATERIALIZED (
          SELECT r.id, ${FIELD_BYTES} AS bytes FROM records r WHERE ${where([...byId.keys()])}
        ), fitting AS (
          SELECT id, bytes, sum(bytes) OVER (ORDER BY id) <= ${MAX_BATCH_BYTES}::int AS fits FROM sized
        )
        SELECT r.id, f.bytes, CASE WHEN f.fits THEN ${selected} END AS fields
        FROM fitting f JOIN records r ON r.application_id = ${definition.applicationId} AND r.id = f.id ORDER BY r.id`
    : [];
  await deliver(first.filter(({ fields }) => fields));
  const others = first.filter(({ fields }) => !fields);
  for (const batch of batchesOf(others, ({ bytes }) => bytes)) {
    if (!isNeeded()) break;
    const ids = batch.map(({ id }) => id);
    await deliver(
      await query<{ id: string; fields: StoredFields | null }>`
        SELECT r.id, ${selected} AS fields FROM records r WHERE ${where(ids)}`,
    );
  }
  // Deleted in the meantime, or no longer needed.
  for (const { resolve } of wanted) resolve({});
}

/** As `json`, because `jsonb_object_agg` takes seconds for a value with 50,000 items. */
function selection(names: string[] | null): Prisma.Sql {
  if (names === null) return Prisma.sql`r.fields`;
  return Prisma.sql`(
    SELECT coalesce(json_object_agg(f.key, f.value), '{}') FROM jsonb_each(r.fields) f WHERE f.key = ANY(${names}::text[]))`;
}

/** Keeps the fields of changed records for the response until they exceed a size limit. */
export class KeptFields {
  #bytes = 0;

  keep(record: PresentedRecord, bytes: number): PresentedRecord {
    this.#bytes += bytes;
    return this.#bytes <= MAX_BATCH_BYTES || record.isHidden ? record : { ...record, fields: null };
  }
}
