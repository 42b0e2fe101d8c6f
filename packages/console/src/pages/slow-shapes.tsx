import { graphql, type ResultOf } from '@atrium/client';
import { Trans } from '@lingui/react/macro';
import { Anchor, Card, Table, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { query } from '../app/clients.ts';
import { usePolling } from '../app/polling.ts';
import { Loaded } from '../ui/page.tsx';
import { Time } from '../ui/values.tsx';
import { durationOf } from './logs/documents.ts';

const SLOW = graphql(`query ConsoleSlowShapes($hours: Int!) {
  slowShapes(hours: $hours) { transport route operation requests averageMs maxMs lastAt }
}`);

type Shape = ResultOf<typeof SLOW>['slowShapes'][number];

const nameOf = ({ route, operation }: Shape) => operation ?? route;

/** What costs the most time: slow requests by endpoint or operation. */
export function SlowShapes({ application, hours }: { application: number; hours: number }) {
  const shapes = useQuery({
    queryKey: [application, 'slow-shapes', hours],
    queryFn: async ({ signal }) => (await query({ application }, SLOW, { hours }, signal)).slowShapes,
    refetchInterval: usePolling(30_000),
    placeholderData: keepPreviousData,
  });
  return (
    <Card withBorder>
      <Title order={2} size="h5">
        <Trans>Slow requests</Trans>
      </Title>
      <Loaded of={shapes}>
        {(rows) =>
          rows.length === 0 ? (
            <Text size="sm" c="dimmed">
              <Trans>No request took as long as REQUEST_LOG_SLOW_MS in this period.</Trans>
            </Text>
          ) : (
            <>
              <Text size="sm" c="dimmed" mb="xs">
                <Trans>By endpoint or operation, those that took the most time in total first.</Trans>
              </Text>
              <Table layout="fixed">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>
                      <Trans>Request</Trans>
                    </Table.Th>
                    <Table.Th w="6rem">
                      <Trans>Number</Trans>
                    </Table.Th>
                    <Table.Th w="6rem">
                      <Trans>Average</Trans>
                    </Table.Th>
                    <Table.Th w="6rem" visibleFrom="sm">
                      <Trans>Longest</Trans>
                    </Table.Th>
                    <Table.Th w="12rem" visibleFrom="sm">
                      <Trans>Latest</Trans>
                    </Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {rows.map((shape) => (
                    <Table.Tr key={`${shape.transport} ${shape.route} ${shape.operation}`}>
                      <Table.Td style={{ overflowWrap: 'anywhere' }}>
                        <Anchor component={Link} to={logsOf(application, shape)} underline="always" size="sm">
                          {nameOf(shape)}
                        </Anchor>
                      </Table.Td>
                      <Table.Td>{shape.requests.toLocaleString()}</Table.Td>
                      <Table.Td>{durationOf(shape.averageMs)}</Table.Td>
                      <Table.Td visibleFrom="sm">{durationOf(shape.maxMs)}</Table.Td>
                      <Table.Td visibleFrom="sm">
                        <Time of={shape.lastAt} />
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

/** The requests of a shape. */
function logsOf(application: number, shape: Shape): string {
  const search = new URLSearchParams({
    status: 'slow',
    transport: shape.transport,
    route: nameOf(shape).slice(0, 256),
  });
  return `/apps/${application}/logs?${search}`;
}
