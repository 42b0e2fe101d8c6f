import { graphql } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Card, Group, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { query } from '../app/clients.ts';
import { usePolling } from '../app/polling.ts';
import { Chart } from '../ui/chart.tsx';
import { Loaded } from '../ui/page.tsx';
import { Status } from '../ui/status.tsx';
import { durationOf } from './logs/documents.ts';

const FIGURES = graphql(`query ConsoleRequestFigures($hours: Int!) {
  requestFigures(hours: $hours) {
    succeeded refused failed medianMs p95Ms
    hours { hour succeeded refused failed }
  }
}`);

/** All requests of the period by outcome, and how long they took. */
export function RequestFigures({ application, hours }: { application: number; hours: number }) {
  const figures = useQuery({
    queryKey: [application, 'request-figures', hours],
    queryFn: async ({ signal }) => (await query({ application }, FIGURES, { hours }, signal)).requestFigures,
    refetchInterval: usePolling(15_000),
    placeholderData: keepPreviousData,
  });
  return (
    <Card withBorder>
      <Title order={2} size="h5">{t`Requests per hour`}</Title>
      <Loaded of={figures}>
        {({ succeeded, refused, failed, medianMs, p95Ms, hours: rows }) => (
          <>
            <Text size="sm" c="dimmed" mb="xs">
              {medianMs === null || p95Ms === null ? (
                <Trans>No requests in this period. Those of the console do not count.</Trans>
              ) : (
                <Trans>
                  Half of them took up to {durationOf(medianMs)}, 95% up to {durationOf(p95Ms)}. Those of the console do
                  not count.
                </Trans>
              )}
            </Text>
            <Group gap="xs" mb="xs">
              <Status tone="good">{t`2xx, 3xx: ${succeeded.toLocaleString()}`}</Status>
              <Status tone={refused > 0 ? 'warn' : 'plain'}>{t`4xx: ${refused.toLocaleString()}`}</Status>
              <Status tone={failed > 0 ? 'bad' : 'plain'}>{t`5xx: ${failed.toLocaleString()}`}</Status>
            </Group>
            <Chart
              label={t`Requests per hour`}
              times={rows.map(({ hour }) => Date.parse(hour) / 1000)}
              parts={[
                { name: t`Succeeded`, values: rows.map((row) => row.succeeded), color: '--bar' },
                { name: '4xx', values: rows.map((row) => row.refused), color: '--warn' },
                { name: '5xx', values: rows.map((row) => row.failed), color: '--bad' },
              ]}
            />
          </>
        )}
      </Loaded>
    </Card>
  );
}
