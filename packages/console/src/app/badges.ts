import { graphql } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { hasRole, useMe } from './administrator.ts';
import { query } from './clients.ts';
import { usePolling } from './polling.ts';

const POLL_MS = 60_000;

const FAILED_PUSHES = graphql(`query ConsoleFailedPushes { applicationStats(hours: 1) { pushesFailed } }`);
const RUNNING_JOBS = graphql(`query ConsoleRunningJobs { jobs(first: 5) { edges { node { state } } } }`);

export interface Badge {
  count: number;
  /** What is counted. */
  title: string;
  isBad?: boolean;
  /** Of the list of what is counted, after the address of the page. */
  search?: Record<string, string>;
}

/** What needs attention, by the path of its page. */
export function useBadges(application: number | undefined): Record<string, Badge | undefined> {
  const me = useMe();
  const refetchInterval = usePolling(POLL_MS);
  const target = { application: application! };
  const isOf = (roles: Parameters<typeof hasRole>[1]) => application !== undefined && hasRole(me, roles, application);
  const { data: failed = 0 } = useQuery({
    queryKey: [application, 'failed-pushes'],
    queryFn: async ({ signal }) => (await query(target, FAILED_PUSHES, {}, signal)).applicationStats.pushesFailed,
    enabled: isOf(['DEVELOPER', 'SUPPORT']),
    refetchInterval,
  });
  const { data: running = 0 } = useQuery({
    queryKey: [application, 'running-jobs'],
    queryFn: async ({ signal }) => {
      const { jobs } = await query(target, RUNNING_JOBS, {}, signal);
      return jobs.edges.filter(({ node: { state } }) => state === 'QUEUED' || state === 'RUNNING').length;
    },
    enabled: isOf([]),
    refetchInterval,
  });
  return {
    ...(failed > 0 && {
      pushes: { count: failed, title: t`Failed in the last 24 hours`, isBad: true, search: { failed: '1' } },
    }),
    ...(running > 0 && { backups: { count: running, title: t`Running` } }),
  };
}
