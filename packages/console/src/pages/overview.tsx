import { graphql, type ResultOf } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Card, Group, SegmentedControl, SimpleGrid, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense } from 'react';
import { hasRole, useMe } from '../app/administrator.ts';
import { query } from '../app/clients.ts';
import { usePolling } from '../app/polling.ts';
import { bytesText } from '../ui/bytes.ts';
import { Chart } from '../ui/chart.tsx';
import { Loaded, Page } from '../ui/page.tsx';
import { Sparkline } from '../ui/sparkline.tsx';
import { Activity } from './live/activity.tsx';
import { RequestFigures } from './request-figures.tsx';
import { RequestShapes } from './request-shapes.tsx';

const STATS = graphql(`query ConsoleStats($hours: Int!) {
  application { name }
  applicationStats(hours: $hours) {
    users usersOnline files fileBytes pushesFailed pushesWaiting
    hours { hour messages reactions recordChanges pushesDelivered pushesFailed }
  }
}`);

type Stats = ResultOf<typeof STATS>['applicationStats'];
type Hours = Stats['hours'];
type Counted = Exclude<keyof Hours[number], 'hour'>;

/** Of the service. */
const MAX_HOURS = 744;

const PERIODS = [
  { value: '24', label: t`24 hours` },
  { value: '168', label: t`7 days` },
  { value: '720', label: t`30 days` },
];

const FirstSteps = lazy(async () => ({ default: (await import('./first-steps.tsx')).FirstSteps }));

const from = '/shell/apps/$application/overview';

export function OverviewPage() {
  const { application } = useParams({ from });
  const { hours = '24' } = useSearch({ from });
  const navigate = useNavigate({ from: '/apps/$application/overview' });
  const me = useMe();
  const period = Number(hours) || 24;
  const stats = useQuery({
    queryKey: [application, 'stats', hours],
    // The period before it, too, for comparison.
    queryFn: ({ signal }) => query({ application }, STATS, { hours: Math.min(2 * period, MAX_HOURS) }, signal),
    refetchInterval: usePolling(15_000),
    placeholderData: keepPreviousData,
  });
  return (
    <Page
      title={stats.data?.application.name ?? t`Overview`}
      description={t`Application ${application}`}
      actions={
        <SegmentedControl
          aria-label={t`Period`}
          data={PERIODS}
          value={hours}
          onChange={(value) => void navigate({ search: { hours: value } })}
        />
      }
    >
      <Loaded of={stats}>
        {({ applicationStats: { hours: activity, ...figures } }) => (
          <>
            {isNew(figures, activity) && (
              <Suspense>
                <FirstSteps application={application} />
              </Suspense>
            )}
            <Trends application={application} hours={activity} period={period} />
            <Figures application={application} figures={figures} />
            <SimpleGrid cols={{ base: 1, lg: 2 }}>
              <Messages hours={activity.slice(-period)} />
              <Pushes hours={activity.slice(-period)} />
            </SimpleGrid>
          </>
        )}
      </Loaded>
      <RequestFigures application={application} hours={period} />
      <Activity application={application} />
      {hasRole(me, ['DEVELOPER'], application) && (
        <SimpleGrid cols={{ base: 1, lg: 2 }}>
          <RequestShapes application={application} hours={period} status="failed" />
          <RequestShapes application={application} hours={period} status="slow" />
        </SimpleGrid>
      )}
    </Page>
  );
}

/** Only then, because most applications need no first steps. */
function isNew({ users }: Pick<Stats, 'users'>, hours: Hours): boolean {
  return users === 0 || hours.every(({ messages }) => messages === 0);
}

interface TrendsProps {
  application: number;
  hours: Hours;
  period: number;
}

/** What happened in the period, compared with the one before. */
function Trends({ application, hours, period }: TrendsProps) {
  const trend = (name: string, field: Counted, path: string) => {
    const values = hours.slice(-period).map((hour) => hour[field]);
    const before = hours.length >= 2 * period ? hours.slice(-2 * period, -period) : undefined;
    const sum = sumOf(values);
    return (
      <Figure
        key={field}
        name={name}
        value={sum}
        address={`/apps/${application}/${path}`}
        detail={before && <Change now={sum} before={sumOf(before.map((hour) => hour[field]))} />}
      >
        {/* Without the last hour, which has only begun. */}
        <Sparkline values={values.slice(0, -1)} />
      </Figure>
    );
  };
  return (
    <SimpleGrid cols={{ base: 2, lg: 4 }} spacing="sm">
      {trend(t`Messages`, 'messages', 'dialogs')}
      {trend(t`Changes of records`, 'recordChanges', 'data')}
      {trend(t`Reactions`, 'reactions', 'live')}
      {trend(t`Pushes delivered`, 'pushesDelivered', 'pushes')}
    </SimpleGrid>
  );
}

const percent = new Intl.NumberFormat(undefined, {
  style: 'percent',
  signDisplay: 'exceptZero',
  maximumFractionDigits: 0,
});

function Change({ now, before }: { now: number; before: number }) {
  // A first period has nothing to be compared with.
  if (before === 0) return now === 0 ? t`as before` : null;
  const change = percent.format((now - before) / before);
  return t`${change} to the period before`;
}

interface FiguresProps {
  application: number;
  figures: Omit<Stats, 'hours'>;
}

function Figures({ application, figures }: FiguresProps) {
  const { users, usersOnline, files, fileBytes, pushesFailed, pushesWaiting } = figures;
  const address = (path: string) => `/apps/${application}/${path}`;
  return (
    <SimpleGrid cols={{ base: 2, lg: 4 }} spacing="sm">
      <Figure
        name={t`Users`}
        value={users}
        detail={t`${usersOnline.toLocaleString()} online`}
        address={address('users')}
      />
      <Figure name={t`Files`} value={files} detail={bytesText(fileBytes)} address={address('files')} />
      <Figure
        name={t`Pushes failed`}
        value={pushesFailed}
        detail={t`Last 24 hours`}
        isBad={pushesFailed > 0}
        address={address('pushes?failed=1')}
      />
      <Figure name={t`Pushes waiting`} value={pushesWaiting} detail={t`To devices`} address={address('pushes')} />
    </SimpleGrid>
  );
}

interface FigureProps {
  name: string;
  value: number;
  /** Of the page that shows more. */
  address: string;
  detail?: ReactNode;
  isBad?: boolean;
  children?: ReactNode;
}

function Figure({ name, value, address, detail, isBad = false, children }: FigureProps) {
  return (
    <Card withBorder padding="sm" className="figure" renderRoot={(props) => <Link {...props} to={address} />}>
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <Group align="baseline" gap="xs">
        <Text fz={26} fw={650} c={isBad ? 'var(--mantine-color-error)' : undefined}>
          {value.toLocaleString()}
        </Text>
        {detail && (
          <Text size="xs" c="dimmed">
            {detail}
          </Text>
        )}
      </Group>
      {children}
    </Card>
  );
}

function Pushes({ hours }: { hours: Hours }) {
  const delivered = hours.map(({ pushesDelivered }) => pushesDelivered);
  const failed = hours.map(({ pushesFailed }) => pushesFailed);
  return (
    <Card withBorder>
      <Title order={2} size="h5">{t`Pushes per hour`}</Title>
      <Text size="sm" c="dimmed" mb="xs">
        <Trans>
          {sumOf(delivered).toLocaleString()} delivered and {sumOf(failed).toLocaleString()} failed in this period.
          Failed ones are red.
        </Trans>
      </Text>
      <Chart
        label={t`Pushes per hour`}
        times={timesOf(hours)}
        parts={[
          { name: t`Delivered`, values: delivered, color: '--bar' },
          { name: t`Failed`, values: failed, color: '--bad' },
        ]}
      />
    </Card>
  );
}

const sumOf = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

const timesOf = (hours: Hours) => hours.map(({ hour }) => Date.parse(hour) / 1000);

function Messages({ hours }: { hours: Hours }) {
  const values = hours.map(({ messages }) => messages);
  return (
    <Card withBorder>
      <Title order={2} size="h5">{t`Messages per hour`}</Title>
      <Text size="sm" c="dimmed" mb="xs">
        <Trans>{sumOf(values).toLocaleString()} in this period.</Trans>
      </Text>
      <Chart
        label={t`Messages per hour`}
        times={timesOf(hours)}
        parts={[{ name: t`Messages`, values, color: '--bar' }]}
      />
    </Card>
  );
}
