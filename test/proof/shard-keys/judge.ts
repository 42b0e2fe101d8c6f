import { EXCEPTIONS, type Exception } from './exceptions.ts';
import { unplacedTables } from './statement.ts';
import { isDivided, shardKeys } from './tables.ts';

export function judge(statements: Iterable<string>): { faults: string[]; unusedExceptions: Exception[] } {
  const unused = new Set(EXCEPTIONS);
  const faults: string[] = [];
  for (const statement of statements) {
    const tables = unplacedTables(statement, shardKeys).filter((mention) => isDivided(mention.split(' ')[0]!));
    if (tables.length === 0) continue;
    const text = statement.replace(/\s+/g, ' ').trim();
    const exception = EXCEPTIONS.find(({ part }) => text.includes(part));
    if (exception) unused.delete(exception);
    else faults.push(`${tables.join(', ')}: ${text}`);
  }
  return { faults, unusedExceptions: [...unused] };
}
