import { t } from '@lingui/core/macro';
import { Table } from '@mantine/core';

interface HeadsProps {
  of: readonly string[];
  /** Whether the last column has buttons. */
  hasActions?: boolean;
}

/** The titles of the columns of a table of few rows. */
export function Heads({ of: titles, hasActions = false }: HeadsProps) {
  return (
    <Table.Thead>
      <Table.Tr>
        {titles.map((title) => (
          <Table.Th key={title}>{title}</Table.Th>
        ))}
        {hasActions && <Table.Th aria-label={t`Actions`} />}
      </Table.Tr>
    </Table.Thead>
  );
}
