import { InvalidFieldsError, NotFoundError } from '../../lib/errors.ts';
import { isDatabaseId } from '../../lib/tokens.ts';

/**
 * An integer id of a path.
 * @throws {InvalidFieldsError} no positive integer
 * @throws {NotFoundError} beyond what is ever given
 */
export function readIntegerId(text: string): number {
  const id = readPositiveInteger(text);
  if (!isDatabaseId(id)) throw new NotFoundError();
  return id;
}

/** @throws {InvalidFieldsError} it is none */
export function readPositiveInteger(text: string): number {
  const id = /^\d+$/.test(text) ? Number(text) : 0;
  if (id === 0) throw new InvalidFieldsError({ id: ['should be a positive integer'] });
  return id;
}
