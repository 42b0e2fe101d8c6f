import { ALL_SLOTS, UNSET_NUMBER, UNSET_TEXT } from '../../resolvers/classes/slots.ts';
import type { Check } from './check.ts';

const RECORDS = `FROM records r JOIN record_classes c ON c.application_id = r.application_id AND c.key = r.class_key`;

const HAS_TYPE = `CASE f.type
  WHEN 'Integer' THEN jsonb_typeof(v) = 'number' AND v::numeric = trunc(v::numeric)
  WHEN 'Float' THEN jsonb_typeof(v) = 'number'
  WHEN 'Date' THEN jsonb_typeof(v) = 'number'
  WHEN 'String' THEN jsonb_typeof(v) = 'string'
  WHEN 'Boolean' THEN jsonb_typeof(v) = 'boolean'
  WHEN 'Location' THEN jsonb_typeof(v -> 'lat') = 'number' AND jsonb_typeof(v -> 'lon') = 'number'
  WHEN 'File' THEN jsonb_typeof(v -> 'key') = 'string'
END`;

/** Must match src/resolvers/classes/slots.ts. */
const SLOT = `CASE
  WHEN s.slot LIKE 'c%' THEN CASE WHEN i.state <> 'dropping' THEN compound_key(r.fields, i.fields) END
  WHEN f.name IS NULL THEN NULL
  WHEN s.slot LIKE 't%' THEN coalesce('v' || (r.fields ->> f.name), '${UNSET_TEXT}')
  WHEN s.slot LIKE 'p%' THEN CASE WHEN jsonb_typeof(v -> 'lat') = 'number' AND jsonb_typeof(v -> 'lon') = 'number'
    THEN place_of((v -> 'lat')::float8, (v -> 'lon')::float8)::text END
  WHEN jsonb_typeof(v) = 'boolean' THEN v::boolean::int::float8::text
  WHEN jsonb_typeof(v) = 'number' THEN v::float8::text
  ELSE '${UNSET_NUMBER}'
END`;

export const RECORD_CHECKS: readonly Check[] = [
  {
    name: 'records of classes',
    sentence: 'A record belongs to a class, or to a deleted one whose records are being swept.',
    sql: `SELECT jsonb_build_object('classKey', r.class_key) AS row, count(*) || ' records' AS kept, NULL AS counted
      FROM records r WHERE r.application_id = $1
        AND NOT EXISTS (SELECT FROM record_classes c WHERE c.application_id = r.application_id AND c.key = r.class_key)
        AND NOT EXISTS (
          SELECT FROM deleted_classes d WHERE d.application_id = r.application_id AND d.class_key = r.class_key)
      GROUP BY r.class_key`,
  },
  {
    name: 'parents',
    sentence: 'The parent of a record exists.',
    sql: `SELECT jsonb_build_object('recordId', r.id) AS row, r.parent_id AS kept, NULL AS counted
      FROM records r WHERE r.application_id = $1 AND r.parent_id IS NOT NULL AND NOT EXISTS (
        SELECT FROM records p WHERE p.application_id = r.application_id AND p.id = r.parent_id)`,
  },
  {
    name: 'record values',
    sentence: 'The values of a record match the fields of its class.',
    sql: `SELECT jsonb_build_object('recordId', r.id, 'field', e.key) AS row, left(e.value::text, 100) AS kept,
        coalesce(f.type::text || CASE WHEN f.is_array THEN '[]' ELSE '' END, 'no field') AS counted
      ${RECORDS} CROSS JOIN LATERAL jsonb_each(r.fields) e
      LEFT JOIN class_fields f ON f.application_id = r.application_id AND f.class_key = r.class_key AND f.name = e.key
      WHERE r.application_id = $1 AND (f.name IS NULL OR CASE
        WHEN NOT f.is_array THEN NOT coalesce((SELECT ${HAS_TYPE} FROM (VALUES (e.value)) AS one (v)), false)
        WHEN jsonb_typeof(e.value) <> 'array' THEN true
        ELSE EXISTS (SELECT FROM jsonb_array_elements(e.value) v WHERE NOT coalesce(${HAS_TYPE}, false)) END)`,
  },
  {
    name: 'record slots',
    sentence: 'A slot repeats the value of its field, or the values of its compound index.',
    sql: `SELECT jsonb_build_object('recordId', r.id, 'slot', s.slot) AS row, s.kept, e.counted
      ${RECORDS} CROSS JOIN LATERAL (VALUES ${ALL_SLOTS.map((slot) => `('${slot}', r.${slot}::text)`).join(', ')}) AS s (slot, kept)
      LEFT JOIN class_fields f ON f.application_id = r.application_id AND f.class_key = r.class_key AND f.slot = s.slot
      LEFT JOIN class_indexes i ON i.application_id = r.application_id AND i.class_key = r.class_key AND i.slot = s.slot
      CROSS JOIN LATERAL (SELECT ${SLOT} AS counted FROM (VALUES (r.fields -> f.name)) AS one (v)) e
      WHERE r.application_id = $1 AND s.kept IS DISTINCT FROM e.counted AND (coalesce(f.index_state, i.state) IS NULL OR CASE coalesce(f.index_state, i.state)
        WHEN 'dropping' THEN false WHEN 'building' THEN s.kept IS NOT NULL ELSE true END)`,
  },
  {
    name: 'unique values',
    sentence: 'A unique value is claimed by exactly the record that has it.',
    sql: `SELECT jsonb_build_object('classKey', class_key, 'field', field, 'value', value) AS row, k.id AS kept,
        r.id AS counted
      FROM (SELECT k.class_key, k.field, k.value, k.record_id AS id FROM record_keys k
        JOIN record_classes c ON c.application_id = k.application_id AND c.key = k.class_key
        WHERE k.application_id = $1) k
      FULL JOIN (SELECT r.class_key, f.name AS field, r.fields ->> f.name AS value, r.id
        ${RECORDS} JOIN class_fields f ON f.application_id = r.application_id AND f.class_key = r.class_key
          AND f.is_unique
        WHERE r.application_id = $1 AND r.fields ->> f.name IS NOT NULL
        UNION ALL SELECT r.class_key, array_to_string(i.fields, ','), compound_key(r.fields, i.fields), r.id
        ${RECORDS} JOIN class_indexes i ON i.application_id = r.application_id AND i.class_key = r.class_key
          AND i.is_unique
        WHERE r.application_id = $1 AND jsonb_exists_all(r.fields, i.fields)) r USING (class_key, field, value)
      WHERE k.id IS DISTINCT FROM r.id`,
  },
  {
    name: 'readers of records',
    sentence: 'A record is open if all may read it, and its class notes which kinds of readers its records have.',
    sql: `SELECT jsonb_build_object('recordId', r.id) AS row,
        concat_ws(' ', CASE WHEN r.is_open THEN 'open' END, CASE WHEN c.has_open THEN 'hasOpen' END,
          CASE WHEN c.has_private THEN 'hasPrivate' END, CASE WHEN c.has_shared THEN 'hasShared' END) AS kept,
        array_to_string(r.readers, ' ') AS counted
      ${RECORDS}
      WHERE r.application_id = $1 AND (r.is_open <> coalesce(r.readers[1] = '*', false)
        OR r.is_open AND NOT c.has_open OR NOT r.is_open AND NOT c.has_private
        OR NOT c.has_shared AND EXISTS (SELECT FROM unnest(r.readers) one WHERE length(one) > 2))`,
  },
  {
    name: 'data of dialogs',
    sentence: 'Additional data of a dialog belongs to a class, or to a deleted one that is being swept.',
    sql: `SELECT jsonb_build_object('dialogId', d.id) AS row, d.data_class_key::text AS kept, NULL AS counted
      FROM dialogs d WHERE d.application_id = $1 AND ((d.data_class_key IS NULL) <> (d.data IS NULL)
        OR d.data_class_key IS NOT NULL
        AND NOT EXISTS (
          SELECT FROM record_classes c WHERE c.application_id = d.application_id AND c.key = d.data_class_key)
        AND NOT EXISTS (
          SELECT FROM deleted_classes c WHERE c.application_id = d.application_id AND c.class_key = d.data_class_key))`,
  },
  {
    name: 'catalogue versions',
    sentence: 'The catalogue version is at least the sum of the versions of the classes.',
    sql: `SELECT '{}'::jsonb AS row, a.catalogue_version::text AS kept, c.number::text AS counted
      FROM applications a, (SELECT sum(version) AS number FROM record_classes WHERE application_id = $1) c
      WHERE a.id = $1 AND a.catalogue_version < c.number`,
  },
];
