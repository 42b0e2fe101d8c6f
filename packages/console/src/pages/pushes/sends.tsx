import { t } from '@lingui/core/macro';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { query, type Target } from '../../app/clients.ts';
import { forward, PAGE_SIZE } from '../../app/paging.ts';
import { Empty } from '../../ui/page.tsx';
import { type Column, Rows } from '../../ui/rows.tsx';
import { Time } from '../../ui/values.tsx';
import { SENDS, type Send } from './documents.ts';

interface SendsProps {
  target: Target;
  eventId: number;
  /** More sends may follow soon. */
  isActive: boolean;
}

export function Sends({ target, eventId, isActive }: SendsProps) {
  const sends = useInfiniteQuery({
    ...forward,
    queryKey: [target.application, 'sends', eventId, target.onBehalfOf],
    queryFn: async ({ pageParam, signal }) =>
      (await query(target, SENDS, { eventId, first: PAGE_SIZE, after: pageParam }, signal)).pushSends,
    refetchInterval: ({ state }) => (isActive || hasUnfinished(state.data?.pages[0]?.edges) ? 3_000 : false),
  });
  return (
    <Rows
      label={t`Sends`}
      of={sends}
      columns={columnsOf(target)}
      keyOf={({ id }) => id}
      empty={
        <Empty title={t`Not sent yet`}>{t`Each send lists its devices with the answers of their providers.`}</Empty>
      }
    />
  );
}

function hasUnfinished(edges: { node: Send }[] = []): boolean {
  return edges.some(({ node }) => node.finishedAt === null);
}

const columnsOf = ({ application, onBehalfOf }: Target): Column<Send>[] => [
  {
    name: t`Started`,
    width: 'minmax(0, 1fr)',
    render: ({ id, createdAt }) => (
      <Link
        className="row-link"
        to="/apps/$application/pushes/sends/$send"
        params={{ application: Number(application), send: id }}
        search={onBehalfOf === undefined ? {} : { user: String(onBehalfOf) }}
      >
        <Time of={createdAt} />
      </Link>
    ),
  },
  {
    name: t`Finished`,
    width: 'minmax(0, 1fr)',
    isMinor: true,
    render: ({ finishedAt }) => (finishedAt === null ? t`in progress` : <Time of={finishedAt} />),
  },
  { name: t`Devices`, width: '6rem', isMinor: true, render: ({ recipients }) => recipients.toLocaleString() },
  { name: t`Delivered`, width: '6rem', isMinor: true, render: ({ delivered }) => delivered.toLocaleString() },
  { name: t`Failed`, width: '6rem', render: ({ failed }) => failed.toLocaleString() },
];
