import type { Statement } from './service.ts';

/** @throws if there is none or more than one */
export function statementWith(statements: Statement[], words: string): Statement {
  const found = statements.filter(({ text }) => text.includes(words));
  if (found.length !== 1) throw new Error(`${found.length} statements of the request contain "${words}"`);
  return found[0]!;
}
