import { graphql } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Loader, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { query } from '../../app/clients.ts';
import type { RecordClass } from './documents.ts';
import { buildingIndexes, indexState } from './index-states.ts';
import { useIndex } from './use-index.ts';
import { countQuery, type View } from './view.ts';

const EXPLAIN = graphql(`query ConsoleExplainRecords($className: String!, $filter: JSON, $orderBy: RecordOrder) {
  explainRecords(className: $className, filter: $filter, orderBy: $orderBy) { rowsRead rowsReturned suggestedIndex }
}`);

/** A list that reads so many rows, and so many for each record, is slow with more records. */
const MANY_ROWS = 1_000;
const MANY_FOR_EACH = 4;

/** Says that the list reads many rows, with the index that makes it fast. Runs the list once more. */
export function IndexAdvice({ view, definition }: { view: View; definition: RecordClass }) {
  const { application, className, filter, orderBy } = view;
  const [followed, setFollowed] = useState<string[]>();
  const count = useQuery(countQuery({ application, className, onBehalfOf: undefined, filter: {} }));
  const explained = useQuery({
    queryKey: [application, 'records-explained', className, filter, orderBy, definition.indexes, definition.fields],
    queryFn: async ({ signal }) =>
      (await query({ application }, EXPLAIN, { className, filter, orderBy }, signal)).explainRecords,
    // A smaller class has not so many rows.
    enabled: (count.data ?? 0) >= MANY_ROWS,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { rowsRead = 0, rowsReturned = 0, suggestedIndex = null } = explained.data ?? {};
  const advised = suggestedIndex ?? unindexedField(view, definition);
  const shown = buildingIndexes(definition)[0] ?? (advised ? undefined : followed);
  if (shown) return <IndexFix application={application} definition={definition} fields={shown} />;
  if (!advised || rowsRead < MANY_ROWS || rowsRead < MANY_FOR_EACH * rowsReturned) return null;
  return (
    <Group gap="sm" role="status">
      <Text size="sm">
        <Trans>
          This list reads {rowsRead.toLocaleString()} rows to show {rowsReturned.toLocaleString()}.
        </Trans>
      </Text>
      <IndexFix
        application={application}
        definition={definition}
        fields={advised}
        onFollowed={() => setFollowed(advised)}
      />
    </Group>
  );
}

interface IndexFixProps {
  application: number;
  definition: RecordClass;
  fields: string[];
  onFollowed?: () => void;
}

/** The button that creates an index, then how far it is. */
export function IndexFix({ application, definition, fields, onFollowed }: IndexFixProps) {
  const create = useIndex(application);
  const names = fields.join(', ');
  const state = indexState(definition, fields);
  if (state === 'BUILDING')
    return (
      <Group gap="xs" wrap="nowrap" role="status">
        <Loader size={14} aria-hidden="true" />
        <Text size="sm">{t`The index on ${names} is being built. Lists use it when it is complete.`}</Text>
      </Group>
    );
  if (state === 'READY')
    return <Text size="sm" c="var(--good)" role="status">{t`The index on ${names} is complete.`}</Text>;
  return (
    <Button
      className="wrapping"
      size="compact-sm"
      variant="default"
      onClick={() => create.mutate({ definition, fields, isIndexed: true }, { onSuccess: onFollowed })}
      loading={create.isPending}
    >
      <Trans>Create an index on {names}</Trans>
    </Button>
  );
}

/** The field that sorts the list, if it has no index. */
function unindexedField({ orderBy }: View, { fields }: RecordClass): string[] | undefined {
  const field = fields.find(({ name, index }) => name === orderBy?.field && index === 'NONE');
  return field && [field.name];
}
