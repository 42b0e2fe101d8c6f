import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Modal, Stack, Tabs, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { query, type Target } from '../../app/clients.ts';
import { forward, PAGE_SIZE } from '../../app/paging.ts';
import { useListPolling } from '../../app/polling.ts';
import { idOf } from '../../app/user-search.ts';
import { Empty, Page } from '../../ui/page.tsx';
import { type Column, Rows } from '../../ui/rows.tsx';
import { Status } from '../../ui/status.tsx';
import { useOpenInAddress } from '../../ui/use-open-in-address.ts';
import { UserSelect } from '../../ui/user-select.tsx';
import { Time } from '../../ui/values.tsx';
import { CreatePush } from './create-push.tsx';
import { Deliveries } from './deliveries.tsx';
import { channelName, EVENTS, type ListedEvent } from './documents.ts';
import { Schedule } from './schedule.tsx';

const from = '/shell/apps/$application/pushes';

/** Events belong to their creator: without a user, those that were created with API keys or here. */
export function PushesPage() {
  const { application } = useParams({ from });
  const { user, failed } = useSearch({ from });
  const navigate = useNavigate({ from: '/apps/$application/pushes' });
  const [isOpen, { open, close }] = useOpenInAddress('create');
  return (
    <Page
      title={t`Pushes`}
      description={t`Sent once or repeatedly to a set of users, newest first.`}
      actions={<Button onClick={open}>{t`Create push`}</Button>}
    >
      <Tabs
        value={failed === undefined ? 'created' : 'failed'}
        onChange={(tab) => void navigate({ search: tab === 'failed' ? { failed: '1' } : {}, replace: true })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="created">{t`Created pushes`}</Tabs.Tab>
          <Tabs.Tab value="failed">{t`Failed deliveries`}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="created">
          <Created application={application} user={user} />
        </Tabs.Panel>
        <Tabs.Panel value="failed">
          <Deliveries
            target={{ application }}
            status="FAILED"
            empty={
              <Empty title={t`No failed deliveries`}>
                <Trans>Also those of messages of dialogs are listed here, as long as the push log keeps them.</Trans>
              </Empty>
            }
          />
        </Tabs.Panel>
      </Tabs>
      <Modal opened={isOpen} onClose={close} title={t`Create push`} size="lg" closeOnClickOutside={false}>
        <CreatePush application={application} onDone={close} />
      </Modal>
    </Page>
  );
}

function Created({ application, user }: { application: number; user: string | undefined }) {
  const navigate = useNavigate({ from: '/apps/$application/pushes' });
  const target: Target = { application, onBehalfOf: idOf(user) };
  const events = useInfiniteQuery({
    ...forward,
    refetchInterval: useListPolling(15_000),
    queryKey: [application, 'events', target.onBehalfOf],
    queryFn: async ({ pageParam, signal }) =>
      (await query(target, EVENTS, { first: PAGE_SIZE, after: pageParam }, signal)).events,
  });
  return (
    <Stack>
      <Group className="filters" align="flex-end">
        <UserSelect
          application={application}
          label={t`Created by`}
          value={user}
          onChange={(next) => void navigate({ search: { ...(next !== undefined && { user: next }) }, replace: true })}
        />
      </Group>
      <Rows
        label={t`Pushes`}
        of={events}
        columns={columnsOf(application, user)}
        keyOf={({ id }) => id}
        empty={
          <Empty title={t`No pushes`}>
            {user === undefined
              ? t`Create one here or from your server. Pushes that a user created are listed under “Created by”.`
              : t`This user has created no pushes.`}
          </Empty>
        }
      />
    </Stack>
  );
}

const columnsOf = (application: number, user: string | undefined): Column<ListedEvent>[] => [
  {
    name: t`Push`,
    width: 'minmax(0, 2fr)',
    render: ({ id, name, channel, environment }) => (
      <>
        <Link
          className="row-link"
          to="/apps/$application/pushes/$event"
          params={{ application, event: String(id) }}
          search={user === undefined ? {} : { user }}
        >
          {name || t`Push ${id}`}
        </Link>
        <Text size="xs" c="dimmed" truncate>
          {channelName(channel)} · {environment}
        </Text>
      </>
    ),
  },
  {
    name: t`State`,
    width: '7rem',
    render: ({ active }) => <Status tone={active ? 'good' : 'plain'}>{active ? t`Active` : t`Ended`}</Status>,
  },
  { name: t`Sent`, width: 'minmax(0, 1fr)', isMinor: true, render: (event) => <Schedule {...event} /> },
  { name: t`Sends`, width: '4rem', isMinor: true, render: ({ occuredCount }) => occuredCount.toLocaleString() },
  { name: t`Delivered`, width: '5rem', isMinor: true, render: ({ delivered }) => delivered.toLocaleString() },
  {
    name: t`Failed`,
    width: '4rem',
    isMinor: true,
    render: ({ failed }) =>
      failed === 0 ? <span className="soft">0</span> : <Status tone="bad">{failed.toLocaleString()}</Status>,
  },
  { name: t`Created`, width: '8rem', isMinor: true, render: ({ createdAt }) => <Time of={createdAt} /> },
];
