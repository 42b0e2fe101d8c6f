import { graphql } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { mutate, query } from '../../app/clients.ts';
import { type Field, type RecordClass, UPDATE_CLASS } from './documents.ts';
import { classesKey } from './use-class.ts';
import { countQuery, type View } from './view.ts';

const EXPLAIN = graphql(`query ConsoleExplainRecords($className: String!, $filter: JSON, $orderBy: RecordOrder) {
  explainRecords(className: $className, filter: $filter, orderBy: $orderBy) { rowsRead rowsReturned suggestedIndex }
}`);

/** A list that reads so many rows, and so many for each record, is slow with more records. */
const MANY_ROWS = 1_000;
const MANY_FOR_EACH = 4;

interface IndexAdviceProps {
  view: View;
  definition: RecordClass;
  /** Creates an index of one field. */
  onIndex: (field: Field) => void;
}

/** Says that the list reads many rows, with the index that makes it fast. Runs the list once more. */
export function IndexAdvice({ view, definition, onIndex }: IndexAdviceProps) {
  const { application, className, filter, orderBy } = view;
  const queries = useQueryClient();
  const count = useQuery(countQuery({ application, className, onBehalfOf: undefined, filter: {} }));
  const explained = useQuery({
    queryKey: [application, 'records-explained', className, filter, orderBy, definition.indexes, definition.fields],
    queryFn: async ({ signal }) =>
      (await query({ application }, EXPLAIN, { className, filter, orderBy }, signal)).explainRecords,
    // A smaller class has not so many rows.
    enabled: (count.data ?? 0) >= MANY_ROWS,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const create = useMutation({
    mutationFn: (fields: string[]) => {
      const indexes = definition.indexes.map(({ fields, unique }) => ({ fields, unique }));
      return mutate({ application }, UPDATE_CLASS, { name: className, input: { indexes: [...indexes, { fields }] } });
    },
    onSuccess: () => {
      notifications.show({ message: t`The index is being built. Lists use it when it is complete.` });
      return queries.invalidateQueries({ queryKey: classesKey(application) });
    },
  });
  const { rowsRead = 0, rowsReturned = 0, suggestedIndex = null } = explained.data ?? {};
  const field = unindexedField(view, definition);
  if ((!suggestedIndex && !field) || rowsRead < MANY_ROWS || rowsRead < MANY_FOR_EACH * rowsReturned) return null;
  const names = suggestedIndex?.join(', ') ?? field!.name;
  return (
    <Group gap="sm" role="status">
      <Text size="sm">
        <Trans>
          This list reads {rowsRead.toLocaleString()} rows to show {rowsReturned.toLocaleString()}.
        </Trans>
      </Text>
      <Button
        size="compact-sm"
        variant="default"
        onClick={() => (suggestedIndex ? create.mutate(suggestedIndex) : onIndex(field!))}
        loading={create.isPending}
      >
        <Trans>Create an index on {names}</Trans>
      </Button>
    </Group>
  );
}

/** The field that sorts the list, if it has no index. */
function unindexedField({ orderBy }: View, { fields }: RecordClass): Field | undefined {
  return fields.find(({ name, index }) => name === orderBy?.field && index === 'NONE');
}
