import { type InfiniteData, queryOptions } from '@tanstack/react-query';
import { query } from '../../app/clients.ts';
import { COUNT, RECORDS, recordOf } from './documents.ts';

/** What the grid shows; the address contains it. */
export interface View {
  application: number;
  className: string;
  /** See what this user sees. */
  onBehalfOf: number | undefined;
  filter: object;
  orderBy: { field: string; direction: 'ASC' | 'DESC' } | null;
}

export const recordsKey = ({ application, className, onBehalfOf, filter, orderBy }: View) => [
  application,
  'records',
  className,
  onBehalfOf ?? null,
  filter,
  orderBy,
];

export async function fetchRecords(view: View, first: number, after: string | null, signal?: AbortSignal) {
  const { application, className, onBehalfOf, filter, orderBy } = view;
  const variables = { className, filter, orderBy, first, after };
  const { records } = await query({ application, onBehalfOf }, RECORDS, variables, signal);
  return { ...records, edges: records.edges.map(({ node }) => ({ node: recordOf(node) })) };
}

export type RecordPages = InfiniteData<Awaited<ReturnType<typeof fetchRecords>>>;

/** Counting is not free. */
const COUNT_LIFETIME_MS = 60_000;

/** Number of records; fetched again with those of the class. */
export function countQuery({ application, className, onBehalfOf, filter }: Omit<View, 'orderBy'>) {
  return queryOptions({
    queryKey: [application, 'records', className, 'count', onBehalfOf ?? null, filter],
    queryFn: async ({ signal }) =>
      (await query({ application, onBehalfOf }, COUNT, { className, filter }, signal)).records.totalCount,
    staleTime: COUNT_LIFETIME_MS,
  });
}
