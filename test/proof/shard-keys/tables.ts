import { readFileSync } from 'node:fs';
import type { ShardKeys } from './statement.ts';

/** Of people who administer several applications, so it is in the first database. */
const IN_FIRST_DATABASE = ['administrator_roles'];

/** Also read before the application is known, or for all; the callers say for which servers (`src/db/shards.ts`). */
const READ_FOR_ALL = ['applications', 'api_keys', 'events_outbox'];

/** Every table with an application, and the column that contains it. */
export const shardKeys: ShardKeys = new Map([['applications', 'id'], ...tablesOfApplications()]);

/** Whether the rows of the table are stored with their application. */
export function isDivided(table: string): boolean {
  return !IN_FIRST_DATABASE.includes(table) && !READ_FOR_ALL.includes(table);
}

function tablesOfApplications(): [string, string][] {
  const schema = readFileSync(new URL('../../../prisma/schema.prisma', import.meta.url), 'utf8');
  const models = [...schema.matchAll(/^model \w+ \{\n([\s\S]*?)^\}/gm)].map(([, body]) => body!);
  return models
    .filter((body) => body.includes('@map("application_id")'))
    .map((body) => [/@@map\("(\w+)"\)/.exec(body)![1]!, 'application_id']);
}
