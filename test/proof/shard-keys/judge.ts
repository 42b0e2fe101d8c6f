import { applicationsOf } from '../../../src/db/application-keys.ts';
import { isOfService } from '../../../src/db/shards.ts';
import { EXCEPTIONS, type Exception } from './exceptions.ts';
import { unplacedTables } from './statement.ts';
import { isDivided, shardKeys } from './tables.ts';

/** Values that say which parameter they are of. */
const POSITIONS = Array.from({ length: 65_535 }, (_, position) => position + 1);

export function judge(statements: Iterable<string>): {
  faults: string[];
  unrouted: string[];
  unusedExceptions: Exception[];
} {
  const unused = new Set(EXCEPTIONS);
  const faults: string[] = [];
  const unrouted: string[] = [];
  for (const statement of statements) {
    const tables = unplacedTables(statement, shardKeys).filter((mention) => isDivided(mention.split(' ')[0]!));
    if (tables.length === 0) {
      if (namesTable(statement) && applicationsOf(statement, POSITIONS).length === 0) unrouted.push(statement);
      continue;
    }
    const text = statement.replace(/\s+/g, ' ').trim();
    const exception = EXCEPTIONS.find(({ part }) => text.includes(part));
    if (exception) unused.delete(exception);
    else faults.push(`${tables.join(', ')}: ${text}`);
  }
  return { faults, unrouted, unusedExceptions: [...unused] };
}

function namesTable(statement: string): boolean {
  const named = [...statement.matchAll(/\b(?:FROM|JOIN|INTO|UPDATE)\s+(?:"public"\.)?"?(\w+)/g)];
  return !isOfService(statement) && named.some(([, table]) => shardKeys.has(table!) && isDivided(table!));
}
