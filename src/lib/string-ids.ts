import { UnprocessableError } from './errors.ts';
import { problem } from './problems.ts';

export function isStringId(text: string): boolean {
  return /^[0-9a-f]{24}$/.test(text);
}

export const MAX_IDS = 100;

/** @throws {UnprocessableError} more than 100 distinct ids */
export function distinctIds(ids: readonly string[]): string[] {
  const distinct = [...new Set(ids)];
  if (distinct.length > MAX_IDS) throw new UnprocessableError(problem('TOO_MANY_IDS', { max: MAX_IDS }));
  return distinct;
}
