import { strictEqual } from 'node:assert';
import { call, forEach, tokenHeader } from './calls.ts';
import type { Comparison } from './comparison.ts';
import type { Environment } from './environment.ts';
import { httpLoad } from './http-load.ts';
import { type SeededUsers, startSeededUsers, TAGGED_TOGETHER } from './seeded-users.ts';

const FEW = 1_000;
const MANY = 1_000_000;
const ASKED_FOR = 100;
const SECONDS_AT_MOST = 1;
const NOTE = `users – the service with ${FEW} users compared with ${MANY}: the ratio is the growth, at most 2`;

interface Query {
  name: string;
  path: (number: number) => string;
  /** Number of users in the response; 0: not a list. */
  items: number;
  total?: (seeded: SeededUsers) => number;
  first?: (number: number) => number;
}

const QUERIES: Query[] = [
  { name: 'by login', path: (number) => filtered(`string login eq user-${number}`), items: 1 },
  { name: 'by phone', path: (number) => filtered(`string phone eq +${4_900_000_000 + number}`), items: 1 },
  {
    name: 'by tag',
    path: (number) => `/users/by_tags.json?tags=tag-${tagOf(number)}`,
    items: TAGGED_TOGETHER,
    first: (number) => tagOf(number) * TAGGED_TOGETHER + 1,
  },
  { name: 'by external id', path: (number) => `/users/external/${number}.json`, items: 0 },
  {
    name: 'first page',
    path: () => '/users.json',
    items: 10,
    total: ({ size }) => size + 1,
    first: () => 1,
  },
];

export async function users(environment: Environment): Promise<Comparison[]> {
  const few = await startSeededUsers(FEW, environment);
  const many = await startSeededUsers(MANY, environment);
  const comparisons: Comparison[] = [];
  for (const query of QUERIES) {
    comparisons.push({
      name: `users ${query.name}, 1k : 1M`,
      service: await load(query, few, environment),
      bare: await load(query, many, environment),
      note: () => NOTE,
    });
  }
  return comparisons;
}

async function load(query: Query, seeded: SeededUsers, environment: Environment): Promise<Comparison['service']> {
  const { url, size } = seeded;
  const headers = tokenHeader(seeded.caller);
  const numbers = Array.from({ length: ASKED_FOR }, (_, place) => Math.floor(((place + 0.5) * size) / ASKED_FOR));
  const answers = new Set<string>();
  await forEach(numbers, 4, async (number) => {
    const answer = await call(url + query.path(number), 200, { headers });
    check(JSON.parse(answer), number, query, seeded);
    answers.add(answer);
  });
  return () =>
    httpLoad({
      url,
      method: 'GET',
      headers,
      paths: numbers.map(query.path),
      status: 200,
      isRight: (body) => answers.has(body),
      seconds: Math.min(environment.seconds, SECONDS_AT_MOST),
    });
}

interface Found {
  user: { login: string };
}

function check(
  answer: Found & { total_entries: number; items: Found[] },
  number: number,
  query: Query,
  seeded: SeededUsers,
) {
  const { items, total, first } = query;
  const found = items === 0 ? answer : answer.items[0]!;
  strictEqual(found.user.login, `user-${first?.(number) ?? number}`, `users ${query.name}: who is found`);
  if (items === 0) return;
  strictEqual(answer.items.length, items, `users ${query.name}: how many are found`);
  strictEqual(answer.total_entries, total?.(seeded) ?? items, `users ${query.name}: how many there are`);
}

function filtered(filter: string): string {
  return `/users.json?filter[]=${encodeURIComponent(filter)}`;
}

function tagOf(number: number): number {
  return Math.floor((number - 1) / TAGGED_TOGETHER);
}
