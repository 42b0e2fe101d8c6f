import type { Parameters } from '../../lib/bracket-keys.ts';
import { readInteger } from '../../lib/casts.ts';
import { UnprocessableError } from '../../lib/errors.ts';
import type { JsonValue } from '../../lib/json.ts';
import { MAX_PAGE } from '../../lib/pagination.ts';
import { type Problem, problem, when } from '../../lib/problems.ts';
import { integer, WRONG_TYPE } from '../openapi/docs/schemas.ts';
import { tableOf } from './table.ts';

const PAGE = 'PAGE_INVALID' satisfies Problem;
export const PAGE_SIZE = problem('OUT_OF_RANGE', { name: 'per_page', min: 1, max: MAX_PAGE });

/** Pages count from 1. */
export interface Page {
  page: number;
  perPage: number;
}

/** @throws {UnprocessableError} with both messages if both are invalid */
export function readPage(parameters: Parameters): Page {
  const page = integerOr(1, parameters.page);
  const perPage = integerOr(10, parameters.per_page);
  const isPerPage = perPage !== undefined && perPage >= 1 && perPage <= MAX_PAGE;
  const isPage = page !== undefined && page >= 1;
  if (isPage && isPerPage) return { page, perPage };
  throw new UnprocessableError(...when(!isPerPage, PAGE_SIZE), ...when(!isPage, PAGE));
}

export const page = tableOf(
  {
    page: {
      ...integer,
      minimum: 1,
      default: 1,
      description: 'Number of the page, from 1.',
      [WRONG_TYPE]: () => PAGE,
    },
    per_page: {
      ...integer,
      minimum: 1,
      maximum: MAX_PAGE,
      default: 10,
      description: `Items per page, 1 to ${MAX_PAGE}.`,
      [WRONG_TYPE]: () => PAGE_SIZE,
    },
  },
  pageWindow,
);

function pageWindow(parameters: Parameters): { first: number; skip: number } {
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

function integerOr(fallback: number, value: JsonValue | undefined): number | undefined {
  return value === undefined || value === null ? fallback : readInteger(value);
}
