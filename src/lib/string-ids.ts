import { UnprocessableError } from './errors.ts';

/** Whether a text can be the id of a dialog or message: 24 lower-case hex digits. */
export function isStringId(text: string): boolean {
  return /^[0-9a-f]{24}$/.test(text);
}

export const MAX_IDS = 100;

/**
 * The ids one request names, each once.
 * @throws {UnprocessableError} more than 100
 */
export function distinctIds(ids: readonly string[]): string[] {
  const distinct = [...new Set(ids)];
  if (distinct.length > MAX_IDS) throw new UnprocessableError(`A request may name at most ${MAX_IDS} ids`);
  return distinct;
}
