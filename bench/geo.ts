import { strictEqual } from 'node:assert';
import { call, createPerson, forEach, type Person, tokenHeader } from './calls.ts';
import type { Comparison } from './comparison.ts';
import type { Environment } from './environment.ts';
import { httpLoad } from './http-load.ts';
import { fill, startSeeded } from './seeded.ts';
import { APPLICATION } from './service.ts';

const FEW = 1_000;
const MANY = 1_000_000;
const TRAVELLERS = 100;
const QUESTIONS = 100;
const PAGE = 10;
const FOUND = 20;
const SECONDS_AT_MOST = 1;
const NOTE = `geo – the service with ${FEW} locations compared with ${MANY.toLocaleString('en')}: the ratio is the growth, at most 2`;

/** Metres. */
const RADIUS = 6_371_008.8;

interface Earth {
  url: string;
  size: number;
  caller: Person;
}

/** Degrees. */
type Place = [latitude: number, longitude: number];

interface Question {
  name: string;
  query: (place: Place, earth: Earth) => string;
  /** Expected total; undefined: any number above 0. */
  total?: (earth: Earth) => number;
}

const QUESTIONS_ASKED: Question[] = [
  { name: 'newest', query: () => '', total: ({ size }) => size },
  {
    name: 'nearest',
    query: ([latitude, longitude]) => `current_position=${latitude};${longitude}&sort_by=distance&sort_asc=1`,
    total: ({ size }) => size,
  },
  {
    name: 'in a radius',
    query: ([latitude, longitude], earth) => `current_position=${latitude};${longitude}&radius=${radiusOf(earth)}`,
  },
  { name: 'in a rectangle', query: rectangle },
  {
    name: 'nearest users',
    query: ([latitude, longitude]) =>
      `current_position=${latitude};${longitude}&sort_by=distance&sort_asc=1&last_only=1`,
    total: () => TRAVELLERS,
  },
];

export async function geo(environment: Environment): Promise<Comparison[]> {
  const few = await createEarth(FEW, environment);
  const many = await createEarth(MANY, environment);
  const comparisons: Comparison[] = [];
  for (const question of QUESTIONS_ASKED) {
    comparisons.push({
      name: `geo ${question.name}, 1k : 1M`,
      service: await load(question, few, environment),
      bare: await load(question, many, environment),
      note: () => NOTE,
    });
  }
  return comparisons;
}

async function createEarth(size: number, environment: Environment): Promise<Earth> {
  const { url, databaseUrl } = await startSeeded(`geo_${size}`, environment);
  const caller = await createPerson(url, 'caller');
  await fill(databaseUrl, 'users', insertTravellers());
  await fill(databaseUrl, 'geodata', insertPlaces(size));
  return { url, size, caller };
}

function insertTravellers(): string {
  return `
    INSERT INTO users (application_id, login, login_key, created_at, updated_at)
    SELECT ${APPLICATION.id}, 'traveller-' || n, 'traveller-' || n, now(), now() FROM generate_series(1, ${TRAVELLERS}) n`;
}

function insertPlaces(size: number): string {
  return `
    INSERT INTO geodata (application_id, user_id, latitude, longitude, is_latest, created_at, updated_at)
    SELECT ${APPLICATION.id}, t.ids[1 + n % ${TRAVELLERS}], degrees(asin(2.0 * ((n::int8 * 7919) % ${size} + 0.5) / ${size} - 1)),
      mod(((n::int8 * 7919) % ${size} * 137.50776405)::numeric, 360)::float8 - 180, n > ${size - TRAVELLERS}, moment, moment
    FROM (SELECT array_agg(id ORDER BY id) AS ids FROM users WHERE login LIKE 'traveller-%') t,
      generate_series(1, ${size}) n, LATERAL (SELECT now() - make_interval(secs => ${size} - n) AS moment) AS created
    ORDER BY n`;
}

function radiusOf({ size }: Earth): number {
  return Math.round(2 * RADIUS * Math.sqrt(FOUND / size));
}

function rectangle([latitude, longitude]: Place, earth: Earth): string {
  const high = (radiusOf(earth) / RADIUS) * (180 / Math.PI) * 0.9;
  const wide = high / Math.cos((latitude * Math.PI) / 180);
  const within = (degrees: number, most: number) => Math.max(-most, Math.min(most, degrees)).toFixed(6);
  const [south, north] = [latitude - high, latitude + high].map((degrees) => within(degrees, 90));
  const [west, east] = [longitude - wide, longitude + wide].map((degrees) => within(degrees, 180));
  return `geo_rect=${south};${west};${north};${east}`;
}

/** Centres of the queries, away from the polar circles and the date line. */
function places(): Place[] {
  return Array.from({ length: QUESTIONS }, (_, nth) => [((nth * 37) % 100) * 1.1 - 55, ((nth * 61) % 100) * 3 - 150]);
}

async function load(question: Question, earth: Earth, environment: Environment): Promise<Comparison['service']> {
  const { url, caller } = earth;
  const headers = tokenHeader(caller);
  const paths = places().map((place) => `/geodata/find.json?${question.query(place, earth)}`);
  const answers = new Set<string>();
  await forEach(paths, 4, async (path) => {
    const answer = await call(url + path, 200, { headers });
    const { total_entries, items } = JSON.parse(answer);
    const total = question.total?.(earth) ?? total_entries;
    strictEqual(total_entries, total, `geo ${question.name}: how many there are`);
    strictEqual(items.length, Math.min(PAGE, total), `geo ${question.name}: how many are found`);
    if (total === 0) throw new Error(`geo ${question.name}: no results`);
    answers.add(answer);
  });
  return () =>
    httpLoad({
      url,
      method: 'GET',
      headers,
      paths,
      status: 200,
      isRight: (body) => answers.has(body),
      seconds: Math.min(environment.seconds, SECONDS_AT_MOST),
    });
}
