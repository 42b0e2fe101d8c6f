import { call, createPerson, type Person } from './calls.ts';
import type { Environment } from './environment.ts';
import { fill, queries, startSeeded } from './seeded.ts';
import { APPLICATION } from './service.ts';

export interface SeededRecords {
  url: string;
  databaseUrl: string;
  /** May read the public records, and owns a few private records of each class. */
  owner: Person;
  /** In a group with access to a few of the private records. */
  guest: Person;
  /** In a group with access to one in a thousand of the private records. */
  colleague: Person;
  /** In a group with access to every second private record. */
  member: Person;
}

export const FEW = 1_000;
export const SOME = 100_000;
export const MANY = 1_000_000;
const SIZES = [FEW, SOME, MANY];

export const ALIKE = 20;
/** Private records of the owner; as many are shared with the guest. */
export const OWN = 50;

export const carsOf = (size: number) => `cars_${size}`;
export const notesOf = (size: number) => `notes_${size}`;

/** Location of the records of a model; models are kilometers apart. */
export function placeOf(model: number): [lat: number, lon: number] {
  return [Math.floor(model / 250) * 0.5 - 60, (model % 250) * 1.2 - 150];
}

const FIELDS = `[
  { name: "make", type: STRING, index: true }, { name: "model", type: STRING },
  { name: "value", type: INTEGER, index: true }, { name: "rating", type: FLOAT }, { name: "sold", type: BOOLEAN },
  { name: "registered", type: DATE }, { name: "tags", type: STRING, array: true },
  { name: "place", type: LOCATION, index: true }
]`;

export async function startSeededRecords(environment: Environment): Promise<SeededRecords> {
  const { url, databaseUrl } = await startSeeded('records', environment);
  const [owner, guest, colleague, member] = [
    await createPerson(url, 'owner'),
    await createPerson(url, 'guest'),
    await createPerson(url, 'colleague'),
    await createPerson(url, 'member'),
  ];
  for (const name of SIZES.flatMap((size) => [carsOf(size), notesOf(size)])) await createClass(url, name);
  await queries(databaseUrl, [
    ...Object.entries({ few: guest, 'team-7': colleague, many: member }).map(
      ([tag, { id }]) => `UPDATE users SET tags = ARRAY['${tag}'] WHERE id = ${id}`,
    ),
    `UPDATE record_classes SET version = version + 1, has_open = name LIKE 'cars%', has_private = name LIKE 'notes%',
      has_shared = name LIKE 'notes%'`,
    'UPDATE applications SET catalogue_version = catalogue_version + 1',
  ]);
  await fill(databaseUrl, 'records', insertRecords(owner));
  return { url, databaseUrl, owner, guest, colleague, member };
}

async function createClass(url: string, name: string): Promise<void> {
  const query = `mutation { createClass(input: { name: "${name}", fields: ${FIELDS} }) { id } }`;
  const headers = { Authorization: `ApiKey ${APPLICATION.apiKey}` };
  const answer = await call(`${url}/graphql`, 200, { method: 'POST', headers, json: { query } });
  if (JSON.parse(answer).errors) throw new Error(answer);
}

/** `value` and `make` are permutations of 0…n with even and odd steps. Indexed fields have the first slots. */
function insertRecords(owner: Person): string {
  return `
    INSERT INTO records (application_id, id, class_key, user_id, is_open, readers, updaters, deleters, fields, t1, n1, p1,
      created_at, updated_at)
    SELECT ${APPLICATION.id}, lpad(to_hex(n), 12, '0') || lpad(to_hex(key), 12, '0'), key,
      CASE n % (size / ${OWN}) WHEN 0 THEN ${owner.id} ELSE 1000000 + n % (size / ${OWN}) END, name LIKE 'cars%',
      CASE WHEN name LIKE 'cars%' THEN ARRAY['*'] WHEN n % (size / ${OWN}) = 1 THEN ARRAY['g:few']
        WHEN n % 2 = 0 THEN ARRAY['g:many'] WHEN n % 4 = 1 THEN ARRAY['u:' || 1000000 + n % 977]
        ELSE ARRAY['g:team-' || n / 4 % 250] END, '{}', '{}',
      jsonb_build_object('make', make, 'model', 'model-' || model, 'value', value, 'rating', (value % 1000) / 8.0,
        'sold', n % 3 = 0, 'registered', 1700000000000 + n * 1000, 'tags',
        jsonb_build_array('tag-' || model, 'half-' || n % 2), 'place', jsonb_build_object('lat', lat, 'lon', lon)),
      'v' || make, value, place_of(lat, lon), to_timestamp(1700000000 + n), to_timestamp(1700000000 + n)
    FROM record_classes, LATERAL (SELECT split_part(name, '_', 2)::int AS size) sized, generate_series(1, size) n,
      LATERAL (SELECT n % (size / ${ALIKE}) AS model, n::bigint * 7919 % size AS value,
        'make-' || lpad((n::bigint * 104729 % size)::text, 7, '0') AS make) numbered,
      LATERAL (SELECT model / 250 * 0.5 - 60 AS lat, model % 250 * 1.2 - 150 AS lon) placed
    ORDER BY n, key`;
}
