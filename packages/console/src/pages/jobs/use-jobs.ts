import { type InfiniteData, type QueryClient, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { clientOf, query } from '../../app/clients.ts';
import { forward, PAGE_SIZE } from '../../app/paging.ts';
import { usePolling } from '../../app/polling.ts';
import type { RowsPage } from '../../ui/rows.tsx';
import { JOB_CHANGED, JOBS, type ListedJob } from './documents.ts';

/** A signal between processes may be lost, and a subscription may end. */
const POLL_MS = 10_000;

export const isActive = ({ state }: Pick<ListedJob, 'state'>) => state === 'QUEUED' || state === 'RUNNING';

const listKey = (application: number) => [application, 'jobs'];
export const jobKey = (application: number, id: string) => [application, 'job', id];

type Pages = InfiniteData<RowsPage<ListedJob>>;

/** Newest first, with live progress. */
export function useJobs(application: number) {
  const interval = usePolling(POLL_MS);
  const jobs = useInfiniteQuery({
    ...forward,
    queryKey: listKey(application),
    queryFn: async ({ pageParam, signal }) =>
      (await query({ application }, JOBS, { first: PAGE_SIZE, after: pageParam }, signal)).jobs,
    refetchInterval: ({ state: { data } }) => (data && rowsOf(data).some(isActive) ? interval : false),
  });
  useJobChanges(application, jobs.isSuccess);
  return { ...jobs, rows: rowsOf(jobs.data) };
}

/** Keeps the list and the open job current. @param isReady once a query has shown that the session is valid */
export function useJobChanges(application: number, isReady: boolean): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (!isReady) return;
    const aborted = new AbortController();
    clientOf({ application }).subscribe(
      JOB_CHANGED,
      {},
      {
        signal: aborted.signal,
        next: ({ jobChanged }) => apply(queries, application, jobChanged),
        end: () => {}, // polling continues
      },
    );
    return () => aborted.abort();
  }, [application, isReady, queries]);
}

function apply(queries: QueryClient, application: number, changed: ListedJob): void {
  const pages = queries.getQueryData<Pages>(listKey(application));
  if (pages && rowsOf(pages).some(({ id }) => id === changed.id)) {
    queries.setQueryData<Pages>(listKey(application), {
      ...pages,
      pages: pages.pages.map((page) => ({
        ...page,
        edges: page.edges.map((edge) => (edge.node.id === changed.id ? { ...edge, node: changed } : edge)),
      })),
    });
  } else void queries.invalidateQueries({ queryKey: listKey(application) });
  if (isActive(changed)) {
    queries.setQueryData(jobKey(application, changed.id), (old: ListedJob | undefined) =>
      old ? { ...old, ...changed } : old,
    );
  } else void queries.invalidateQueries({ queryKey: jobKey(application, changed.id) });
}

function rowsOf(data: Pages | undefined): ListedJob[] {
  return data?.pages.flatMap(({ edges }) => edges.map(({ node }) => node)) ?? [];
}
