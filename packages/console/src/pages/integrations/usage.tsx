import { graphql } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Card, SegmentedControl, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { query } from '../../app/clients.ts';
import { Chart } from '../../ui/chart.tsx';
import { Empty, Loaded } from '../../ui/page.tsx';

const USAGE = graphql(`query ConsoleAiUsage($days: Int!) {
  aiUsage(days: $days) {
    dailyTokens requests failures tokens
    assistants { assistantId name requests failures tokens }
    days { day tokens }
    users { userId tokens }
  }
}`);

const PERIODS = [
  { value: '7', label: t`7 days` },
  { value: '30', label: t`30 days` },
  { value: '365', label: t`A year` },
];

export function Usage({ application }: { application: number }) {
  const [days, setDays] = useState('30');
  const usage = useQuery({
    queryKey: [application, 'ai-usage', days],
    queryFn: async ({ signal }) => (await query({ application }, USAGE, { days: Number(days) }, signal)).aiUsage,
    placeholderData: keepPreviousData,
  });
  return (
    <Stack>
      <SegmentedControl aria-label={t`Period`} data={PERIODS} value={days} onChange={setDays} maw={360} />
      <Loaded of={usage}>
        {({ requests, failures, tokens, dailyTokens, assistants, days, users }) =>
          requests === 0 ? (
            <Empty title={t`No requests in this period`}>
              <Trans>Tokens are counted when users, API keys or administrators ask an assistant.</Trans>
            </Empty>
          ) : (
            <Stack>
              <SimpleGrid cols={{ base: 1, xs: 3 }}>
                <Figure name={t`Tokens`} value={tokens} />
                <Figure name={t`Requests`} value={requests} />
                <Figure name={t`Without answer`} value={failures} />
              </SimpleGrid>
              <Card withBorder>
                <Title order={2} size="h5" mb="xs">{t`Tokens per day (UTC)`}</Title>
                <Chart
                  label={t`Tokens per day`}
                  times={days.map(({ day }) => Date.parse(day) / 1000)}
                  parts={[{ name: t`Tokens per day`, values: days.map(({ tokens }) => tokens), color: '--bar' }]}
                />
              </Card>
              <Figures
                title={t`By assistant`}
                head={[t`Assistant`, t`Requests`, t`Without answer`, t`Tokens`]}
                rows={assistants.map(({ assistantId, name, requests, failures, tokens }) => ({
                  key: assistantId,
                  cells: [name ?? t`Deleted (${assistantId})`, requests, failures, tokens],
                }))}
              />
              {users.length > 0 && (
                <Figures
                  title={t`Users today`}
                  description={t`Each user may use ${dailyTokens.toLocaleString()} tokens per day (UTC).`}
                  head={[t`User`, t`Tokens`]}
                  rows={users.map(({ userId, tokens }) => ({
                    key: String(userId),
                    cells: [
                      <Anchor
                        key="user"
                        component={Link}
                        to={`/apps/${application}/users/${userId}` as string}
                        underline="always"
                      >
                        {userId}
                      </Anchor>,
                      tokens,
                    ],
                  }))}
                />
              )}
            </Stack>
          )
        }
      </Loaded>
    </Stack>
  );
}

function Figure({ name, value }: { name: string; value: number }) {
  return (
    <Card withBorder padding="md">
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <Text fz={28} fw={700}>
        {value.toLocaleString()}
      </Text>
    </Card>
  );
}

interface FiguresProps {
  title: string;
  description?: string;
  head: string[];
  rows: { key: string; cells: React.ReactNode[] }[];
}

function Figures({ title, description, head, rows }: FiguresProps) {
  return (
    <Card withBorder>
      <Title order={2} size="h5">
        {title}
      </Title>
      {description && (
        <Text size="sm" c="dimmed">
          {description}
        </Text>
      )}
      <Table>
        <Table.Thead>
          <Table.Tr>
            {head.map((name, index) => (
              <Table.Th key={name} ta={index === 0 ? 'left' : 'right'}>
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ key, cells }) => (
            <Table.Tr key={key}>
              {cells.map((cell, index) => (
                <Table.Td key={head[index]} ta={index === 0 ? 'left' : 'right'}>
                  {typeof cell === 'number' ? cell.toLocaleString() : cell}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Card>
  );
}
