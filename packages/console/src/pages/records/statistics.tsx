import { t } from '@lingui/core/macro';
import { Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { query } from '../../app/clients.ts';
import { Loaded } from '../../ui/page.tsx';
import { COUNT, type Field, GROUPS } from './documents.ts';
import { textOf } from './values.ts';
import { fetchRecords, type View } from './view.ts';

/** The most frequent values are found among so many different ones. */
const MAX_VALUES = 100;
const SHOWN_VALUES = 10;

interface StatisticsProps {
  view: View;
  field: Field;
}

/** Of one field in all records that the grid could show without its filter. */
export function Statistics({ view, field }: StatisticsProps) {
  const statistics = useQuery({
    queryKey: [view.application, 'statistics', view.className, view.onBehalfOf ?? null, field.name],
    queryFn: ({ signal }) => fetchStatistics(view, field, signal),
  });
  return (
    <Loaded of={statistics}>
      {({ rows, values, isComplete }) => (
        <Stack>
          <Table verticalSpacing={4}>
            <Table.Tbody>
              {rows.map(([name, text]) => (
                <Table.Tr key={name}>
                  <Table.Th scope="row">{name}</Table.Th>
                  <Table.Td ta="right">{text}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
          {values.length > 0 && (
            <div>
              <Text fw={600} size="sm">
                {isComplete ? t`Most frequent values` : t`Most frequent of the ${MAX_VALUES} smallest values`}
              </Text>
              <Table verticalSpacing={4}>
                <Table.Tbody>
                  {values.map(({ text, count }) => (
                    <Table.Tr key={text}>
                      <Table.Td>{text}</Table.Td>
                      <Table.Td ta="right">{count}</Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </div>
          )}
        </Stack>
      )}
    </Loaded>
  );
}

async function fetchStatistics(view: View, field: Field, signal: AbortSignal) {
  const { application, className, onBehalfOf } = view;
  const target = { application, onBehalfOf };
  const count = async (filter: object | null) =>
    (await query(target, COUNT, { className, filter }, signal)).records.totalCount;
  const end = async (direction: 'ASC' | 'DESC') => {
    const filter = { [field.name]: { ne: null } };
    const { edges } = await fetchRecords(
      { ...view, filter, orderBy: { field: field.name, direction } },
      1,
      null,
      signal,
    );
    return textOf(edges[0]?.node.fields?.[field.name], field);
  };
  const groups = async () => {
    const variables = { className, field: field.name, limit: MAX_VALUES, calculations: [] };
    return (await query(target, GROUPS, variables, signal)).recordPage.groups;
  };
  const [total, unset, smallest, largest, found] = await Promise.all([
    count(null),
    count({ [field.name]: null }),
    end('ASC'),
    end('DESC'),
    groups(),
  ]);
  const values = found
    .filter(({ value }) => value !== null)
    .toSorted((one, other) => other.count - one.count)
    .slice(0, SHOWN_VALUES)
    .map(({ value, count: times }) => ({ text: textOf(value, field), count: times }));
  const rows: [string, string][] = [
    [t`Records`, String(total)],
    [t`Without a value`, String(unset)],
    [t`Smallest`, smallest || '–'],
    [t`Largest`, largest || '–'],
  ];
  return { rows, values, isComplete: found.length < MAX_VALUES };
}
