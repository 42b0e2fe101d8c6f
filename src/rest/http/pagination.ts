import type { Parameters, ParameterValue } from '../../lib/bracket-keys.ts';
import { UnprocessableError } from '../../lib/errors.ts';
import { readInteger } from '../../lib/parameter-values.ts';

/** A page as clients count them, from 1. */
export interface Page {
  page: number;
  perPage: number;
}

/**
 * `page` (default 1) and `per_page` (1 to 100, default 10) of the lists that have pages (gaps §1.3).
 * @throws {UnprocessableError} both sentences when both are wrong
 */
export function readPage(given: Parameters): Page {
  const page = integerOr(1, given.page);
  const perPage = integerOr(10, given.per_page);
  const isPerPage = perPage !== undefined && perPage >= 1 && perPage <= 100;
  const isPage = page !== undefined && page >= 1;
  if (isPage && isPerPage) return { page, perPage };
  throw new UnprocessableError(
    ...(isPerPage ? [] : ['per_page should be between 1 and 100']),
    ...(isPage ? [] : ['page should be greater than 0']),
  );
}

/** Items on the pages before it, as far as a list can count. */
export function itemsBefore({ page, perPage }: Page): number {
  return Math.min((page - 1) * perPage, 2_147_483_647);
}

function integerOr(fallback: number, value: ParameterValue | undefined): number | undefined {
  return value === undefined || value === null ? fallback : readInteger(value);
}
