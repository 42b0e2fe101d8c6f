import type { Statement } from './service.ts';

/** The one statement that contains the words. @throws none does, or several do */
export function statementWith(statements: Statement[], words: string): Statement {
  const found = statements.filter(({ text }) => text.includes(words));
  if (found.length !== 1) throw new Error(`${found.length} statements of the request contain "${words}"`);
  return found[0]!;
}
