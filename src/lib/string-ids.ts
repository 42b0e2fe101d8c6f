import { UnprocessableError } from './errors.ts';

export function isStringId(text: string): boolean {
  return /^[0-9a-f]{24}$/.test(text);
}

export const MAX_IDS = 100;

/** @throws {UnprocessableError} more than 100 distinct ids */
export function distinctIds(ids: readonly string[]): string[] {
  const distinct = [...new Set(ids)];
  if (distinct.length > MAX_IDS) throw new UnprocessableError(`A request may name at most ${MAX_IDS} ids`);
  return distinct;
}
