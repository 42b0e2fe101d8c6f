import { call } from './calls.ts';
import type { Environment } from './environment.ts';
import { fill, queries, type Seeded, startSeeded } from './seeded.ts';
import { APPLICATION } from './service.ts';

export const FEW = 1_000;
export const MANY = 1_000_000;

export const carsOf = (size: number) => `cars_${size}`;

const FIELDS = `[
  { name: "make", type: STRING, index: true }, { name: "model", type: STRING },
  { name: "value", type: INTEGER, index: true }, { name: "rating", type: FLOAT }, { name: "sold", type: BOOLEAN },
  { name: "registered", type: DATE }, { name: "tags", type: STRING, array: true },
  { name: "place", type: LOCATION, index: true }
]`;

/** Public records, `FEW` in one class and `MANY` in another. */
export async function startSeededRecords(environment: Environment) {
  const { url, databaseUrl } = await startSeeded('records', environment);
  await fillCars([FEW, MANY], { url, databaseUrl });
  return { url, databaseUrl };
}

export async function fillCars(
  sizes: number[],
  { url, databaseUrl }: Pick<Seeded, 'url' | 'databaseUrl'>,
): Promise<void> {
  for (const size of sizes) await createClass(url, carsOf(size));
  await queries(databaseUrl, [
    'UPDATE record_classes SET version = version + 1, has_open = true',
    'UPDATE applications SET catalogue_version = catalogue_version + 1',
  ]);
  await fill(databaseUrl, 'records', INSERT);
}

async function createClass(url: string, name: string): Promise<void> {
  const query = `mutation { createClass(input: { name: "${name}", fields: ${FIELDS} }) { id } }`;
  const headers = { Authorization: `ApiKey ${APPLICATION.apiKey}` };
  const answer = await call(`${url}/graphql`, 200, { method: 'POST', headers, json: { query } });
  if (JSON.parse(answer).errors) throw new Error(answer);
}

/**
 * `value` and `make` are permutations of 0…n with even and odd steps. Places are more than 20 km from each other.
 * Indexed fields have the first slots.
 */
const INSERT = `
  INSERT INTO records (application_id, id, class_key, user_id, is_open, readers, updaters, deleters, fields, t1, n1, p1,
    created_at, updated_at)
  SELECT ${APPLICATION.id}, lpad(to_hex(n), 12, '0') || lpad(to_hex(key), 12, '0'), key, 1000000 + n % 20000, true,
    ARRAY['*'], '{}', '{}',
    jsonb_build_object('make', make, 'model', 'model-' || model, 'value', value, 'rating', (value % 1000) / 8.0,
      'sold', n % 3 = 0, 'registered', 1700000000000 + n::bigint * 1000, 'tags',
      jsonb_build_array('tag-' || model, 'half-' || n % 2), 'place', jsonb_build_object('lat', lat, 'lon', lon)),
    'v' || make, value, place_of(lat, lon), to_timestamp(1700000000 + n), to_timestamp(1700000000 + n)
  FROM record_classes, LATERAL (SELECT split_part(name, '_', 2)::int AS size) sized, generate_series(1, size) n,
    LATERAL (SELECT n % (size / 20) AS model, n::bigint * 7919 % size AS value,
      'make-' || lpad((n::bigint * 104729 % size)::text, 7, '0') AS make) numbered,
    LATERAL (SELECT model / 800 * 0.19 - 60 AS lat, model % 800 * 0.4 - 160 AS lon) placed
  ORDER BY n, key`;
