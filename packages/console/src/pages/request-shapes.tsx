import { graphql, type ResultOf } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Card, Group, Table, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { query } from '../app/clients.ts';
import { usePolling } from '../app/polling.ts';
import { Loaded } from '../ui/page.tsx';
import { Time } from '../ui/values.tsx';
import { durationOf } from './logs/documents.ts';
import { IndexFix } from './records/index-advice.tsx';
import { useClass } from './records/use-class.ts';

const SHAPES = graphql(`query ConsoleRequestShapes($hours: Int!, $filter: RequestLogFilter!) {
  requestShapes(hours: $hours, filter: $filter) { transport route operation className missingIndex requests averageMs maxMs lastAt }
}`);

type Shape = ResultOf<typeof SHAPES>['requestShapes'][number];

const LISTS = {
  failed: {
    title: t`Failed requests`,
    description: t`By endpoint or operation, the most frequent ones first.`,
    empty: t`No request failed in this period.`,
    filter: { minStatus: 400 },
  },
  slow: {
    title: t`Slow requests`,
    description: t`By endpoint or operation, those that took the most time in total first.`,
    empty: t`No request was slow in this period.`,
    filter: { slowOnly: true },
  },
};

const SHOWN = 8;

const keyOf = ({ transport, route, operation, className, missingIndex }: Shape) =>
  [transport, route, operation, className, missingIndex.join()].join(' ');

const nameOf = ({ route, operation }: Shape) => operation ?? route;

interface RequestShapesProps {
  application: number;
  hours: number;
  status: keyof typeof LISTS;
}

/** Logged requests by endpoint or operation. */
export function RequestShapes({ application, hours, status }: RequestShapesProps) {
  const { title, description, empty, filter } = LISTS[status];
  const shapes = useQuery({
    queryKey: [application, 'request-shapes', status, hours],
    queryFn: async ({ signal }) =>
      (await query({ application }, SHAPES, { hours, filter }, signal)).requestShapes.slice(0, SHOWN),
    refetchInterval: usePolling(30_000),
    placeholderData: keepPreviousData,
  });
  return (
    <Card withBorder>
      <Title order={2} size="h5">
        {title}
      </Title>
      <Loaded of={shapes}>
        {(rows) =>
          rows.length === 0 ? (
            <Text size="sm" c="dimmed">
              {empty}
            </Text>
          ) : (
            <>
              <Text size="sm" c="dimmed" mb="xs">
                {description}
              </Text>
              <Table layout="fixed">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>{t`Request`}</Table.Th>
                    <Table.Th w="5rem" ta="right">{t`Count`}</Table.Th>
                    <Table.Th w="5.5rem" ta="right">{t`Average`}</Table.Th>
                    <Table.Th w="7rem" visibleFrom="sm">{t`Latest`}</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {rows.map((shape) => (
                    <Table.Tr key={keyOf(shape)}>
                      <Table.Td style={{ overflow: 'hidden' }}>
                        <Anchor
                          component={Link}
                          to={logsOf(application, status, shape)}
                          underline="always"
                          size="sm"
                          truncate
                          display="block"
                          title={nameOf(shape)}
                        >
                          {nameOf(shape)}
                        </Anchor>
                        {shape.className !== null && (
                          <ListOfClass application={application} shape={shape} name={shape.className} />
                        )}
                      </Table.Td>
                      <Table.Td ta="right">{shape.requests.toLocaleString()}</Table.Td>
                      <Table.Td ta="right">{durationOf(shape.averageMs)}</Table.Td>
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

/** The class whose records were listed, and the index that the list lacks. */
function ListOfClass({
  application,
  shape: { missingIndex },
  name,
}: {
  application: number;
  shape: Shape;
  name: string;
}) {
  const { data: definition } = useClass(application, name, missingIndex.length > 0);
  return (
    <Group gap="xs" mt={4}>
      <Text size="xs" c="dimmed">
        <Trans>
          Records of{' '}
          <Anchor component={Link} to={`/apps/${application}/data/${name}`} underline="always" size="xs">
            {name}
          </Anchor>
        </Trans>
      </Text>
      {definition && <IndexFix application={application} definition={definition} fields={missingIndex} />}
    </Group>
  );
}

/** The requests of a shape. */
function logsOf(application: number, status: string, shape: Shape): string {
  const search = new URLSearchParams({
    ...(status === 'slow' && { status }),
    transport: shape.transport,
    route: nameOf(shape).slice(0, 256),
  });
  return `/apps/${application}/logs?${search}`;
}
