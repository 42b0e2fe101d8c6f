import { plural, t } from '@lingui/core/macro';
import { SegmentedControl, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { query } from '../../app/clients.ts';
import { forward, PAGE_SIZE } from '../../app/paging.ts';
import { idOf } from '../../app/user-search.ts';
import { Empty, Page } from '../../ui/page.tsx';
import { type Column, Rows } from '../../ui/rows.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/values.tsx';
import { channelName, DELIVERIES, type Delivery } from './documents.ts';

const from = '/shell/apps/$application/pushes/sends/$send';

const STATES = { PENDING: t`Pending`, DELIVERED: t`Delivered`, FAILED: t`Failed` };
const TONES = { PENDING: 'plain', DELIVERED: 'good', FAILED: 'bad' } as const;

const readStatus = (text: string | undefined): Delivery['status'] | null =>
  text !== undefined && text in STATES ? (text as Delivery['status']) : null;

/** The outcome of one send, per device. */
export function SendPage() {
  const { application, send } = useParams({ from });
  const { user, status: text } = useSearch({ from });
  const navigate = useNavigate({ from: '/apps/$application/pushes/sends/$send' });
  const onBehalfOf = idOf(user);
  const status = readStatus(text);
  const deliveries = useInfiniteQuery({
    ...forward,
    queryKey: [application, 'deliveries', send, status, onBehalfOf],
    queryFn: async ({ pageParam, signal }) => {
      const variables = { sendId: send, status, first: PAGE_SIZE, after: pageParam };
      return (await query({ application, onBehalfOf }, DELIVERIES, variables, signal)).pushDeliveries;
    },
  });
  return (
    <Page
      title={t`Deliveries`}
      description={t`Acceptance by the provider does not prove that the device received the push.`}
      actions={
        <SegmentedControl
          aria-label={t`State`}
          data={[{ value: '', label: t`All` }, ...Object.entries(STATES).map(([value, label]) => ({ value, label }))]}
          value={status ?? ''}
          onChange={(next) =>
            void navigate({ search: (old) => ({ ...old, status: next === '' ? undefined : next }), replace: true })
          }
        />
      }
    >
      <Rows
        label={t`Deliveries`}
        of={deliveries}
        columns={columnsOf(application)}
        keyOf={({ subscriptionId }) => subscriptionId}
        empty={
          <Empty title={t`No deliveries`}>
            {status === null
              ? t`No recipient had a device on this channel and environment, or the send has not begun.`
              : t`No delivery is in this state.`}
          </Empty>
        }
      />
    </Page>
  );
}

const columnsOf = (application: number): Column<Delivery>[] => [
  {
    name: t`Device`,
    width: 'minmax(0, 1fr)',
    render: ({ subscriptionId, userId, channel, attempts }) => (
      <>
        <Link
          className="row-link"
          to="/apps/$application/users/$user"
          params={{ application, user: String(userId) }}
        >{t`User ${userId}`}</Link>
        <Text size="xs" c="dimmed" truncate>
          {t`Subscription ${subscriptionId} · ${channelName(channel)} · ${plural(attempts, { one: '# attempt', other: '# attempts' })}`}
        </Text>
      </>
    ),
  },
  {
    name: t`State`,
    width: '7rem',
    render: ({ status }) => <Status tone={TONES[status]}>{STATES[status]}</Status>,
  },
  {
    name: t`Answer of the provider`,
    width: 'minmax(0, 2fr)',
    isMinor: true,
    render: ({ answer }) => <span title={answer ?? undefined}>{answer ?? '–'}</span>,
  },
  { name: t`Answered`, width: '12rem', isMinor: true, render: ({ answeredAt }) => <Time isExact of={answeredAt} /> },
  { name: t`Next attempt`, width: '12rem', isMinor: true, render: ({ retryAt }) => <Time isExact of={retryAt} /> },
];
