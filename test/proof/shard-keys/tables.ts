import { readFileSync } from 'node:fs';
import type { ShardKeys } from './statement.ts';

/** Small, and asked of all applications at once: in a database of many servers each of them has a copy. */
const ON_EVERY_SERVER = ['applications', 'api_keys'];

/** One stream with one order of positions: it lies on one server. */
const ON_ONE_SERVER = ['events_outbox'];

/** Every table that names its application, by the column that does. */
export const shardKeys: ShardKeys = new Map([['applications', 'id'], ...tablesOfApplications()]);

/** Whether rows of the table lie where their application does. */
export function isDivided(table: string): boolean {
  return !ON_EVERY_SERVER.includes(table) && !ON_ONE_SERVER.includes(table);
}

function tablesOfApplications(): [string, string][] {
  const schema = readFileSync(new URL('../../../prisma/schema.prisma', import.meta.url), 'utf8');
  const models = [...schema.matchAll(/^model \w+ \{\n([\s\S]*?)^\}/gm)].map(([, body]) => body!);
  return models
    .filter((body) => body.includes('@map("application_id")'))
    .map((body) => [/@@map\("(\w+)"\)/.exec(body)![1]!, 'application_id']);
}
