import { readFileSync } from 'node:fs';
import type { ShardKeys } from './statement.ts';

/** Small tables that are read for all applications; each server would have a copy. */
const ON_EVERY_SERVER = ['applications', 'api_keys', 'administrator_roles'];

/** One sequence of positions, so it must be on one server. */
const ON_ONE_SERVER = ['events_outbox'];

/** Every table with an application, and the column that contains it. */
export const shardKeys: ShardKeys = new Map([['applications', 'id'], ...tablesOfApplications()]);

/** Whether the rows of the table are stored with their application. */
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
