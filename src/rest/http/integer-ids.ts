import { InvalidFieldsError, NotFoundError } from '../../lib/errors.ts';
import { isDatabaseId } from '../../lib/tokens.ts';

/** @throws {InvalidFieldsError} not a positive integer @throws {NotFoundError} above the range of ids */
export function readIntegerId(text: string): number {
  const id = readPositiveInteger(text);
  if (!isDatabaseId(id)) throw new NotFoundError();
  return id;
}

export function readPositiveInteger(text: string): number {
  const id = /^\d+$/.test(text) ? Number(text) : 0;
  if (id === 0) throw new InvalidFieldsError({ id: ['NOT_POSITIVE'] });
  return id;
}
