import type { Parameters, ParameterValue } from '../../lib/bracket-keys.ts';
import { UnprocessableError } from '../../lib/errors.ts';
import { readInteger } from '../../lib/parameter-values.ts';

/** A page as clients count them, from 1. */
export interface Page {
  page: number;
  perPage: number;
}

/**
 * `page` (default 1) and `per_page` (1 to 100, default 10) of the lists that have pages.
 * @throws {UnprocessableError} both sentences when both are wrong
 */
export function readPage(parameters: Parameters): Page {
  const page = integerOr(1, parameters.page);
  const perPage = integerOr(10, parameters.per_page);
  const isPerPage = perPage !== undefined && perPage >= 1 && perPage <= 100;
  const isPage = page !== undefined && page >= 1;
  if (isPage && isPerPage) return { page, perPage };
  throw new UnprocessableError(
    ...(isPerPage ? [] : ['per_page should be between 1 and 100']),
    ...(isPage ? [] : ['page should be greater than 0']),
  );
}

/** `first` and `skip` of the connection behind a page. @throws {UnprocessableError} as `readPage` */
export function pageWindow(parameters: Parameters): { first: number; skip: number } {
  const page = readPage(parameters);
  return { first: page.perPage, skip: Math.min((page.page - 1) * page.perPage, 2_147_483_647) };
}

interface Connection<Node> {
  totalCount: number;
  edges: readonly ({ node: Node } | null)[] | null;
}

export function presentPage<Node>(
  { totalCount, edges }: Connection<Node>,
  parameters: Parameters,
  present: (node: Node) => unknown,
) {
  const { page, perPage } = readPage(parameters);
  const items = edges?.flatMap((edge) => (edge ? [present(edge.node)] : [])) ?? [];
  return { current_page: page, per_page: perPage, total_entries: totalCount, items };
}

function integerOr(fallback: number, value: ParameterValue | undefined): number | undefined {
  return value === undefined || value === null ? fallback : readInteger(value);
}
