import { graphql, type ResultOf } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Group, Select, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { query } from '../app/clients.ts';
import { forward, PAGE_SIZE } from '../app/paging.ts';
import { useListPolling } from '../app/polling.ts';
import { useUserNames } from '../app/user-names.ts';
import { idOf } from '../app/user-search.ts';
import { Empty, Page } from '../ui/page.tsx';
import { type Column, Rows } from '../ui/rows.tsx';
import { Status } from '../ui/status.tsx';
import { UserSelect } from '../ui/user-select.tsx';
import { Time } from '../ui/values.tsx';
import { NAMED_OCCUPANTS, titleOf } from './dialog-title.ts';

const DIALOGS = graphql(`query ConsoleDialogs($filter: DialogFilter, $first: Int!, $after: String) {
  dialogs(filter: $filter, first: $first, after: $after) {
    totalCount
    edges { node { id type name occupantIds lastMessage lastMessageDateSent } }
    pageInfo { hasNextPage endCursor }
  }
}`);

type Dialog = ResultOf<typeof DIALOGS>['dialogs']['edges'][number]['node'];

/** Numbers of the types in filters. */
const TYPES = [
  { value: '3', label: t`Private` },
  { value: '2', label: t`Group` },
  { value: '1', label: t`Public group` },
];

const TYPE_NAMES = { PRIVATE: t`Private`, GROUP: t`Group`, PUBLIC_GROUP: t`Public group` };

const from = '/shell/apps/$application/dialogs';

export function DialogsPage() {
  const { application } = useParams({ from });
  const { user, type } = useSearch({ from });
  const navigate = useNavigate({ from: '/apps/$application/dialogs' });
  const userId = idOf(user);
  const dialogs = useInfiniteQuery({
    ...forward,
    refetchInterval: useListPolling(10_000),
    queryKey: [application, 'dialogs', userId, type],
    queryFn: async ({ pageParam, signal }) => {
      const filter = {
        ...(userId !== undefined && { occupantIds: { all: [userId] } }),
        ...(type !== undefined && { type: { eq: Number(type) } }),
      };
      return (await query({ application }, DIALOGS, { filter, first: PAGE_SIZE, after: pageParam }, signal)).dialogs;
    },
  });
  const rows = dialogs.data?.pages.flatMap(({ edges }) => edges.map(({ node }) => node)) ?? [];
  const nameOf = useUserNames(
    application,
    rows.slice(0, 50).flatMap(({ occupantIds }) => occupantIds.slice(0, NAMED_OCCUPANTS)),
  );
  const total = dialogs.data?.pages[0]?.totalCount;
  return (
    <Page
      title={t`Dialogs`}
      description={
        total === undefined ? t`Latest activity first` : t`${total.toLocaleString()} found, latest activity first`
      }
    >
      <Group className="filters" align="flex-end">
        <UserSelect
          application={application}
          label={t`Occupant`}
          value={user}
          onChange={(next) => void navigate({ search: (old) => ({ ...old, user: next }), replace: true })}
        />
        <Select
          label={t`Type`}
          placeholder={t`All types`}
          data={TYPES}
          value={type ?? null}
          onChange={(value) =>
            void navigate({ search: (old) => ({ ...old, type: value ?? undefined }), replace: true })
          }
          clearable
        />
      </Group>
      <Rows
        label={t`Dialogs`}
        of={dialogs}
        columns={columnsOf(application, nameOf)}
        keyOf={({ id }) => id}
        empty={
          <Empty title={t`No dialogs`}>
            <Trans>
              Dialogs appear here when users start to chat. Without filters, all dialogs of the application are listed.
            </Trans>
          </Empty>
        }
      />
    </Page>
  );
}

const columnsOf = (application: number, nameOf: (id: number) => string): Column<Dialog>[] => [
  {
    name: t`Dialog`,
    width: 'minmax(0, 2fr)',
    render: ({ lastMessage, ...dialog }) => (
      <>
        <Link className="row-link" to="/apps/$application/dialogs/$dialog" params={{ application, dialog: dialog.id }}>
          {titleOf(dialog, nameOf)}
        </Link>
        <Text size="xs" c="dimmed" truncate>
          {lastMessage ?? t`No messages`}
        </Text>
      </>
    ),
  },
  {
    name: t`Type`,
    width: '8rem',
    isMinor: true,
    render: ({ type }) => <Status>{TYPE_NAMES[type]}</Status>,
  },
  { name: t`Occupants`, width: '6rem', isMinor: true, render: ({ occupantIds }) => occupantIds.length },
  { name: t`Last message`, width: '12rem', render: ({ lastMessageDateSent }) => <Time of={lastMessageDateSent} /> },
];
