import { graphql, type ResultOf } from '@atrium/client';
import { Card, SegmentedControl, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { query } from '../app/clients.ts';
import { usePolling } from '../app/polling.ts';
import { Chart } from '../ui/chart.tsx';
import { Loaded, Page } from '../ui/page.tsx';

const STATS = graphql(`query ConsoleStats($hours: Int!) {
  application { name }
  applicationStats(hours: $hours) {
    users usersOnline files pushesDelivered pushesFailed
    hours { hour messages reactions recordChanges }
  }
}`);

type Hours = ResultOf<typeof STATS>['applicationStats']['hours'];

const PERIODS = [
  { value: '24', label: '24 hours' },
  { value: '168', label: '7 days' },
  { value: '720', label: '30 days' },
];

const from = '/shell/apps/$application/overview';

export function OverviewPage() {
  const { application } = useParams({ from });
  const { hours = '24' } = useSearch({ from });
  const navigate = useNavigate({ from: '/apps/$application/overview' });
  const stats = useQuery({
    queryKey: [application, 'stats', hours],
    queryFn: ({ signal }) => query({ application }, STATS, { hours: Number(hours) || 24 }, signal),
    refetchInterval: usePolling(15_000),
    placeholderData: keepPreviousData,
  });
  return (
    <Page
      title={stats.data?.application.name ?? 'Overview'}
      description={`Application ${application}`}
      actions={
        <SegmentedControl
          aria-label="Period"
          data={PERIODS}
          value={hours}
          onChange={(value) => void navigate({ search: { hours: value } })}
        />
      }
    >
      <Loaded of={stats}>
        {({ applicationStats: { users, usersOnline, files, pushesDelivered, pushesFailed, hours } }) => (
          <Stack gap="lg">
            <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }}>
              <Figure name="Users" value={users} />
              <Figure name="Online now" value={usersOnline} />
              <Figure name="Files" value={files} />
              <Figure name="Pushes delivered" value={pushesDelivered} />
              <Figure name="Pushes failed" value={pushesFailed} isBad={pushesFailed > 0} />
            </SimpleGrid>
            <Activity title="Messages per hour" hours={hours} field="messages" />
            <Activity title="Changes of records per hour" hours={hours} field="recordChanges" />
            <Activity title="Reactions per hour" hours={hours} field="reactions" />
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

function Figure({ name, value, isBad = false }: { name: string; value: number; isBad?: boolean }) {
  return (
    <Card withBorder padding="md">
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <Text fz={28} fw={700} c={isBad ? 'var(--mantine-color-error)' : undefined}>
        {value.toLocaleString()}
      </Text>
    </Card>
  );
}

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
  const sum = values.reduce((total, value) => total + value, 0);
  return (
    <Card withBorder>
      <Title order={2} size="h5">
        {title}
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        {sum.toLocaleString()} in this period. Counted a few minutes late.
      </Text>
      <Chart label={title} times={hours.map(({ hour }) => Date.parse(hour) / 1000)} values={values} />
    </Card>
  );
}
