import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { query, type Target } from '../../app/clients.ts';
import { forward, PAGE_SIZE } from '../../app/paging.ts';
import { useUserNames } from '../../app/user-names.ts';
import { type Column, Rows } from '../../ui/rows.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/values.tsx';
import { channelName, DELIVERIES, type Delivery } from './documents.ts';

export const STATES = { PENDING: t`Pending`, DELIVERED: t`Delivered`, FAILED: t`Failed` };
const TONES = { PENDING: 'plain', DELIVERED: 'good', FAILED: 'bad' } as const;

interface DeliveriesProps {
  target: Target;
  /** Undefined: of all sends, newest first. */
  sendId?: string;
  userId?: number;
  status?: Delivery['status'] | null;
  empty: ReactNode;
}

/** What happened to pushes, per device. */
export function Deliveries({ target, sendId, userId, status = null, empty }: DeliveriesProps) {
  const application = Number(target.application);
  const deliveries = useInfiniteQuery({
    ...forward,
    queryKey: [application, 'deliveries', sendId, userId, status, target.onBehalfOf],
    queryFn: async ({ pageParam, signal }) => {
      const filters = { sendId: sendId ?? null, userId: userId ?? null, status };
      return (await query(target, DELIVERIES, { ...filters, first: PAGE_SIZE, after: pageParam }, signal))
        .pushDeliveries;
    },
  });
  const shown = deliveries.data?.pages.flatMap(({ edges }) => edges.map(({ node }) => node.userId)) ?? [];
  const nameOf = useUserNames(application, userId === undefined ? shown.slice(-100) : []);
  const user = userColumn(application, nameOf);
  const push = pushColumn(application);
  const state = { ...stateColumn, isMinor: status !== null };
  const columns =
    sendId !== undefined ? [user, stateColumn] : userId !== undefined ? [push, state] : [push, user, state];
  return (
    <Rows
      label={sendId === undefined ? t`Push log` : t`Deliveries`}
      of={deliveries}
      columns={[...columns, answerColumn, ...(sendId === undefined ? [] : timeColumns)]}
      keyOf={({ sendId: send, subscriptionId }) => `${send} ${subscriptionId}`}
      empty={empty}
    />
  );
}

const pushColumn = (application: number): Column<Delivery> => ({
  name: t`Push`,
  width: 'minmax(0, 1fr)',
  render: ({ sendId, eventId, createdAt, channel, status, answer }) => (
    <>
      <Link className="row-link" to="/apps/$application/pushes/sends/$send" params={{ application, send: sendId }}>
        {eventId === null ? t`Messages of a dialog` : t`Push ${eventId}`}
      </Link>
      <Text size="xs" c="dimmed" truncate>
        <Time of={createdAt} />
        <span className="not-on-phones"> · {channelName(channel)}</span>
        {status !== 'DELIVERED' && answer && <span className="only-on-phones"> · {answer}</span>}
      </Text>
    </>
  ),
});

const userColumn = (application: number, nameOf: (id: number) => string): Column<Delivery> => ({
  name: t`Device`,
  width: 'minmax(0, 1fr)',
  render: ({ subscriptionId, userId, channel, attempts }) => (
    <>
      <Link className="row-link" to="/apps/$application/users/$user" params={{ application, user: String(userId) }}>
        {nameOf(userId)}
      </Link>
      <Text size="xs" c="dimmed" truncate>
        {t`Subscription ${subscriptionId} · ${channelName(channel)} · ${plural(attempts, { one: '# attempt', other: '# attempts' })}`}
      </Text>
    </>
  ),
});

const stateColumn: Column<Delivery> = {
  name: t`State`,
  width: '7rem',
  render: ({ status }) => <Status tone={TONES[status]}>{STATES[status]}</Status>,
};

const answerColumn: Column<Delivery> = {
  name: t`Answer of the provider`,
  width: 'minmax(0, 1.5fr)',
  isMinor: true,
  render: ({ answer }) => <span title={answer ?? undefined}>{answer ?? '–'}</span>,
};

const timeColumns: Column<Delivery>[] = [
  { name: t`Answered`, width: '12rem', isMinor: true, render: ({ answeredAt }) => <Time isExact of={answeredAt} /> },
  { name: t`Next attempt`, width: '12rem', isMinor: true, render: ({ retryAt }) => <Time isExact of={retryAt} /> },
];

/** Whether the service has no credentials of the provider. */
export const lacksProvider = (answer: string | null) => answer?.includes(' is not set up for ') ?? false;

export function SetUpLink({ application }: { application: number }) {
  return (
    <Anchor
      size="sm"
      renderRoot={(props) => (
        <Link {...props} to="/apps/$application/integrations" params={{ application }} search={{ tab: 'push' }} />
      )}
    >
      <Trans>Set up the provider</Trans>
    </Anchor>
  );
}
