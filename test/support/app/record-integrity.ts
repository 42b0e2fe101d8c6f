import { expect } from 'vitest';
import { type ClassDefinition, reloadCatalogue } from '../../../src/resolvers/classes/catalogue.ts';
import { isOpen, isShared } from '../../../src/resolvers/classes/grants.ts';
import { ALL_SLOTS } from '../../../src/resolvers/classes/slots.ts';
import { slotsOf } from '../../../src/resolvers/records/rows.ts';
import { sweepNow } from '../fixtures/groups.ts';
import { APPLICATION } from './app.ts';
import { sql } from './sql.ts';

interface StoredRecord {
  id: string;
  class_key: number;
  parent_id: string | null;
  is_open: boolean;
  readers: string[];
  fields: Record<string, never>;
  slots: Record<string, unknown>;
}

/**
 * Runs the sweep and asserts that stored records agree with the catalogue: no record of a deleted class or parent,
 * every slot equal to its field, every unique value claimed by its record only.
 */
export async function expectConsistentRecords(applicationId = APPLICATION.id): Promise<ClassDefinition[]> {
  await sweepNow();
  const { byKey } = await reloadCatalogue(applicationId);
  const slots = ALL_SLOTS.map((slot) => `'${slot}', r.${slot}::text`).join(', ');
  const records = await sql<StoredRecord>(
    `SELECT r.id, r.class_key, r.parent_id, r.is_open, r.readers, r.fields,
       jsonb_strip_nulls(jsonb_build_object(${slots})) AS slots
     FROM records r WHERE r.application_id = $1 ORDER BY r.id`,
    [applicationId],
  );
  const ids = new Set(records.map(({ id }) => id));
  for (const record of records) {
    const definition = byKey.get(record.class_key);
    expect(definition, `the class of ${record.id}`).toBeDefined();
    if (record.parent_id !== null) expect(ids).toContain(record.parent_id);
    expect([...definition!.fields.keys()]).toEqual(expect.arrayContaining(Object.keys(record.fields)));
    expect({ id: record.id, slots: record.slots }).toEqual({
      id: record.id,
      slots: await storedSlots(definition!, record),
    });
    expect(record.is_open).toBe(isOpen(record.readers));
    const kinds = [definition!.hasOpen || !record.is_open, definition!.hasPrivate || record.is_open];
    expect([...kinds, definition!.hasShared || !isShared(record.readers)]).toEqual([true, true, true]);
  }
  const claimed = await sql(
    'SELECT class_key, field, value, record_id FROM record_keys WHERE application_id = $1 ORDER BY 1, 2, 3',
    [applicationId],
  );
  const demanded = await sql(
    `SELECT r.class_key, f.name AS field, r.fields ->> f.name AS value, r.id AS record_id
     FROM records r JOIN class_fields f USING (application_id, class_key)
     WHERE r.application_id = $1 AND f.is_unique AND jsonb_exists(r.fields, f.name)
     UNION ALL
     SELECT r.class_key, array_to_string(i.fields, ','), compound_key(r.fields, i.fields), r.id
     FROM records r JOIN class_indexes i USING (application_id, class_key)
     WHERE r.application_id = $1 AND i.is_unique AND jsonb_exists_all(r.fields, i.fields) ORDER BY 1, 2, 3`,
    [applicationId],
  );
  expect(claimed).toEqual(demanded);
  expect(await sql('SELECT FROM deleted_classes WHERE application_id = $1', [applicationId])).toEqual([]);
  return [...byKey.values()];
}

async function storedSlots(definition: ClassDefinition, { fields }: StoredRecord): Promise<Record<string, unknown>> {
  const slots: Record<string, unknown> = {};
  for (const [slot, value] of Object.entries(slotsOf(definition, fields))) {
    if (value === null) continue;
    if (!slot.startsWith('p')) slots[slot] = value;
    else {
      const { lat, lon } = value as { lat: number; lon: number };
      const [point] = await sql<{ at: string }>('SELECT place_of($1, $2)::text AS at', [lat, lon]);
      slots[slot] = point!.at;
    }
  }
  return slots;
}
