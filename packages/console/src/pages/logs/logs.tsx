import type { ResultOf } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { Alert, Button, Code, Group, Text, UnstyledButton } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { query, SERVICE, type Target } from '../../app/clients.ts';
import { forward, PAGE_SIZE } from '../../app/paging.ts';
import { Problem } from '../../ui/form.tsx';
import { Empty, Page } from '../../ui/page.tsx';
import { type Column, Rows } from '../../ui/rows.tsx';
import { Status, type Tone } from '../../ui/status.tsx';
import { DetailsDrawer } from './details.tsx';
import { callerOf, durationOf, type LoggedRequest, REQUESTS, titleOf } from './documents.ts';
import { Filters, filterOf, type LogSearch } from './filters.tsx';
import { RequestStatus } from './status.tsx';
import { type FollowState, useLiveRequests } from './use-live-requests.ts';

const from = '/shell/apps/$application/logs';

export function LogsPage() {
  const { application } = useParams({ from });
  const search = useSearch({ from });
  const navigate = useNavigate({ from: '/apps/$application/logs' });
  return (
    <Page title={t`Logs`} description={t`Requests that failed or were slow. Newest first, live.`}>
      <Logs
        key={application}
        target={{ application }}
        search={search}
        onSearch={(change, replace = true) => void navigate({ search: (old) => ({ ...old, ...change }), replace })}
      />
    </Page>
  );
}

export function ServiceLogsPage() {
  const search = useSearch({ from: '/shell/logs' });
  const navigate = useNavigate({ from: '/logs' });
  return (
    <Page
      title={t`Service logs`}
      description={t`Requests without application: unknown paths, missing or wrong credentials, pages. Newest first, live.`}
    >
      <Logs
        target={SERVICE}
        search={search}
        onSearch={(change, replace = true) => void navigate({ search: (old) => ({ ...old, ...change }), replace })}
      />
    </Page>
  );
}

interface LogsProps {
  target: Target;
  search: LogSearch;
  /** @param replace whether the change is no step of the browser's history */
  onSearch: (change: LogSearch, replace?: boolean) => void;
}

function Logs({ target, search, onSearch }: LogsProps) {
  const { request, ...filters } = search;
  return (
    <>
      <Filters search={search} onChange={onSearch} hasUsers={target.application !== 'none'} />
      <List
        key={JSON.stringify(filters)}
        target={target}
        search={filters}
        onOpen={(requestId) => onSearch({ request: requestId }, false)}
        onSort={(sort) => onSearch({ sort })}
        onClear={() => onSearch(Object.fromEntries(Object.keys(filters).map((name) => [name, undefined])))}
      />
      <DetailsDrawer target={target} requestId={request} onClose={() => onSearch({ request: undefined })} />
    </>
  );
}

type LoadedLog = InfiniteData<ResultOf<typeof REQUESTS>['requestLog'], string | null>;

interface ListProps {
  target: Target;
  search: LogSearch;
  onOpen: (requestId: string) => void;
  onSort: (sort: string | undefined) => void;
  onClear: () => void;
}

function List({ target, search, onOpen, onSort, onClear }: ListProps) {
  /** Newest first. Not in the cache of the query, because a page that is being loaded would replace them. */
  const [added, setAdded] = useState<LoggedRequest[]>([]);
  const filter = useMemo(() => filterOf(search), [search]);
  const isBySlowness = search.sort === 'duration';
  const orderBy = isBySlowness ? 'SLOWEST' : 'NEWEST';
  const requests = useInfiniteQuery({
    ...forward,
    queryKey: [target.application, 'requests', search],
    queryFn: async ({ pageParam, signal }) =>
      (await query(target, REQUESTS, { filter, orderBy, first: PAGE_SIZE, after: pageParam }, signal)).requestLog,
    // Live rows follow the list, which a refetch would only repeat.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    select: useCallback((loaded: LoadedLog) => withAdded(loaded, added), [added]),
  });
  const pages = requests.data?.pages;
  const follow = useLiveRequests({
    target,
    filter,
    // A new request has its place among the newest ones only.
    since: isBySlowness ? undefined : pages?.[0]?.cursor,
    onRequest: (request) => setAdded((old) => [request, ...old]),
  });
  const columns = useMemo(
    () => columnsOf(onOpen, { isSorted: isBySlowness, onToggle: () => onSort(isBySlowness ? undefined : 'duration') }),
    [onOpen, onSort, isBySlowness],
  );
  const skipped = pages?.[0]?.skippedCount ?? 0;
  const isFiltered = Object.entries(search).some(([name, value]) => name !== 'sort' && value !== undefined);
  return (
    <>
      {!isBySlowness && <FollowBar {...follow} />}
      {skipped > 0 && (
        <Alert color="yellow" role="note">
          <Plural
            value={skipped}
            one="# more request failed in this time than the log keeps."
            other="# more requests failed in this time than the log keeps."
          />{' '}
          <Trans>Each kind of error has entries; the metrics have all numbers.</Trans>
        </Alert>
      )}
      <Rows
        label={t`Requests`}
        of={requests}
        columns={columns}
        keyOf={({ id }) => id}
        empty={isFiltered ? <NothingFound onClear={onClear} /> : <NothingLogged />}
      />
    </>
  );
}

function NothingFound({ onClear }: { onClear: () => void }) {
  return (
    <Empty title={t`No request matches`}>
      <Trans>New requests that match appear here live.</Trans>{' '}
      <Button size="compact-sm" variant="default" onClick={onClear}>{t`Clear the filters`}</Button>
    </Empty>
  );
}

function NothingLogged() {
  return (
    <Empty title={t`No failed or slow requests`}>
      <Trans>
        Requests that end with status 400 or above, with GraphQL errors, or that take at least{' '}
        <Code>REQUEST_LOG_SLOW_MS</Code> appear here within a second. Search for the <Code>X-Request-Id</Code> of a
        response to find one.
      </Trans>
    </Empty>
  );
}

const STATES: Record<FollowState, { name: string; tone: Tone }> = {
  live: { name: t`Live`, tone: 'good' },
  paused: { name: t`Paused`, tone: 'plain' },
  stopped: { name: t`Stopped`, tone: 'bad' },
};

function FollowBar({ state, problem, pause, resume }: ReturnType<typeof useLiveRequests>) {
  const toggle = useCallback(() => (state === 'live' ? pause() : resume()), [state, pause, resume]);
  useHotkeys([['p', toggle]]);
  const { name, tone } = STATES[state];
  return (
    <>
      <Group justify="space-between">
        <Status tone={tone} isLive>
          {name}
        </Status>
        <Button size="xs" variant="default" onClick={toggle} aria-keyshortcuts="p">
          {state === 'live' ? t`Pause` : t`Resume`}
        </Button>
      </Group>
      <Problem of={problem} />
    </>
  );
}

/** A request that is also on a loaded page, for example because its process was slow to store it, is shown once. */
function withAdded({ pages, pageParams }: LoadedLog, added: readonly LoggedRequest[]): LoadedLog {
  const ids = new Set(added.map(({ id }) => id));
  const [first, ...rest] = pages.map((page) => ({
    ...page,
    edges: page.edges.filter(({ node }) => !ids.has(node.id)),
  }));
  if (!first) return { pages, pageParams };
  const edges = [...added.map((node) => ({ node })), ...first.edges];
  return { pages: [{ ...first, edges }, ...rest], pageParams };
}

/** The root fields, and the class of a list. */
const whatOf = ({ fields, className }: LoggedRequest) =>
  className === null ? fields.join(', ') : t`${fields.join(', ')} of ${className}`;

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

const columnsOf = (open: (requestId: string) => void, sort: Column<LoggedRequest>['sort']): Column<LoggedRequest>[] => [
  {
    name: t`Request`,
    width: 'minmax(0, 3fr)',
    render: (request) => (
      <Group gap="xs" wrap="nowrap">
        <RequestStatus of={request.status} isSlow={request.isSlow} />
        <div style={{ minWidth: 0 }}>
          <UnstyledButton className="row-link" onClick={() => open(request.requestId)}>
            {titleOf(request)}
          </UnstyledButton>
          <Text size="xs" c="dimmed" truncate>
            {request.errors[0]?.message ?? whatOf(request)}
          </Text>
        </div>
      </Group>
    ),
  },
  { name: t`Caller`, width: 'minmax(0, 1.2fr)', isMinor: true, render: callerOf },
  { name: t`Duration`, width: '6rem', isMinor: true, sort, render: ({ durationMs }) => durationOf(durationMs) },
  {
    name: t`Request id`,
    width: '8rem',
    isMinor: true,
    render: ({ requestId }) => (
      <Text size="xs" ff="monospace" truncate title={requestId}>
        {requestId}
      </Text>
    ),
  },
  {
    name: t`Time`,
    width: '7rem',
    render: ({ at }) => (
      <time dateTime={at} title={at}>
        <Text size="sm">{clock.format(new Date(at))}</Text>
        <Text size="xs" c="dimmed">
          {day.format(new Date(at))}
        </Text>
      </time>
    ),
  },
];
