import type { Parameters, ParameterValue } from '../../lib/bracket-keys.ts';
import { UnprocessableError } from '../../lib/errors.ts';
import { readInteger } from '../../lib/parameter-values.ts';

/** Pages count from 1. */
export interface Page {
  page: number;
  perPage: number;
}

/** @throws {UnprocessableError} with both messages if both are invalid */
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
