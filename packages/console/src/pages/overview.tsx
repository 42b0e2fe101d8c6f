import { graphql, type ResultOf } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Card, SegmentedControl, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { hasRole, useMe } from '../app/administrator.ts';
import { query } from '../app/clients.ts';
import { usePolling } from '../app/polling.ts';
import { bytesText } from '../ui/bytes.ts';
import { Chart } from '../ui/chart.tsx';
import { Loaded, Page } from '../ui/page.tsx';
import { SlowShapes } from './slow-shapes.tsx';

const STATS = graphql(`query ConsoleStats($hours: Int!) {
  application { name }
  applicationStats(hours: $hours) {
    users usersOnline files fileBytes pushesDelivered pushesFailed pushesWaiting
    hours { hour messages reactions recordChanges pushesDelivered pushesFailed }
  }
}`);

type Stats = ResultOf<typeof STATS>['applicationStats'];
type Hours = Stats['hours'];

const PERIODS = [
  { value: '24', label: t`24 hours` },
  { value: '168', label: t`7 days` },
  { value: '720', label: t`30 days` },
];

const from = '/shell/apps/$application/overview';

export function OverviewPage() {
  const { application } = useParams({ from });
  const { hours = '24' } = useSearch({ from });
  const navigate = useNavigate({ from: '/apps/$application/overview' });
  const me = useMe();
  const period = Number(hours) || 24;
  const stats = useQuery({
    queryKey: [application, 'stats', hours],
    queryFn: ({ signal }) => query({ application }, STATS, { hours: period }, signal),
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
          <Stack gap="lg">
            <Figures figures={figures} />
            <Activity title={t`Messages per hour`} hours={activity} field="messages" />
            <Pushes hours={activity} />
            <Activity title={t`Changes of records per hour`} hours={activity} field="recordChanges" />
            <Activity title={t`Reactions per hour`} hours={activity} field="reactions" />
          </Stack>
        )}
      </Loaded>
      {hasRole(me, ['DEVELOPER'], application) && <SlowShapes application={application} hours={period} />}
    </Page>
  );
}

function Figures({
  figures: { users, usersOnline, files, fileBytes, pushesDelivered, pushesFailed, pushesWaiting },
}: {
  figures: Omit<Stats, 'hours'>;
}) {
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="sm">
      <Figure name={t`Users`} value={users} />
      <Figure name={t`Online now`} value={usersOnline} />
      <Figure name={t`Files`} value={files} detail={bytesText(fileBytes)} />
      <Figure name={t`Pushes delivered`} value={pushesDelivered} detail={t`Last 24 hours`} />
      <Figure name={t`Pushes failed`} value={pushesFailed} detail={t`Last 24 hours`} isBad={pushesFailed > 0} />
      <Figure name={t`Pushes waiting`} value={pushesWaiting} detail={t`To devices`} />
    </SimpleGrid>
  );
}

interface FigureProps {
  name: string;
  value: number;
  detail?: string;
  isBad?: boolean;
}

function Figure({ name, value, detail, isBad = false }: FigureProps) {
  return (
    <Card withBorder padding="sm">
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <Text fz={28} fw={700} c={isBad ? 'var(--mantine-color-error)' : undefined}>
        {value.toLocaleString()}
      </Text>
      {detail && (
        <Text size="xs" c="dimmed">
          {detail}
        </Text>
      )}
    </Card>
  );
}

function Pushes({ hours }: { hours: Hours }) {
  const delivered = hours.map(({ pushesDelivered }) => pushesDelivered);
  const failed = hours.map(({ pushesFailed }) => pushesFailed);
  return (
    <Card withBorder>
      <Title order={2} size="h5">
        <Trans>Pushes per hour</Trans>
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        <Trans>
          {sumOf(delivered).toLocaleString()} delivered and {sumOf(failed).toLocaleString()} failed in this period.
          Failed ones are red.
        </Trans>
      </Text>
      <Chart label={t`Pushes per hour`} times={timesOf(hours)} values={delivered} failures={failed} />
    </Card>
  );
}

const sumOf = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

const timesOf = (hours: Hours) => hours.map(({ hour }) => Date.parse(hour) / 1000);

function Activity({
  title,
  hours,
  field,
}: {
  title: string;
  hours: Hours;
  field: 'messages' | 'recordChanges' | 'reactions';
}) {
  const values = hours.map((hour) => hour[field]);
  return (
    <Card withBorder>
      <Title order={2} size="h5">
        {title}
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        <Trans>{sumOf(values).toLocaleString()} in this period.</Trans>
      </Text>
      <Chart label={title} times={timesOf(hours)} values={values} />
    </Card>
  );
}
