import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text, TextInput, UnstyledButton } from '@mantine/core';
import { type InfiniteData, useMutation, useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, useState } from 'react';
import { mutate } from '../../app/clients.ts';
import { sentenceOf } from '../../app/query-client.ts';
import { showUndo } from '../../ui/undo.tsx';
import { type DataRecord, type Field, UPDATE_RECORD } from './documents.ts';
import { parseValue, textOf } from './values.ts';
import { recordsKey, type View } from './view.ts';

interface CellProps {
  record: DataRecord;
  field: Field;
  view: View;
}

/** A value that becomes an input when it is pressed. Enter stores, Escape cancels. */
export function Cell({ record, field, view }: CellProps) {
  const value = record.fields?.[field.name];
  const text = textOf(value, field);
  const [edited, setEdited] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const store = useStore(record, field, view);
  if (record.fields === null)
    return (
      <Text c="dimmed">
        <Trans>hidden</Trans>
      </Text>
    );
  if (edited === undefined) {
    const isEditable = field.type !== 'FILE';
    return (
      <UnstyledButton
        onClick={() => isEditable && setEdited(text)}
        aria-label={`${field.name}: ${text || t`empty`}`}
        w="100%"
        mih={28}
        fz="sm"
        style={{ overflow: 'hidden', textOverflow: 'ellipsis' }}
      >
        {text || '–'}
      </UnstyledButton>
    );
  }
  const close = () => {
    setEdited(undefined);
    setProblem(undefined);
  };
  const save = () => {
    try {
      if (edited !== text) store(parseValue(edited, field), value ?? null);
      close();
    } catch (error) {
      setProblem(sentenceOf(error));
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') save();
    else if (event.key === 'Escape') close();
  };
  return (
    <TextInput
      size="xs"
      aria-label={field.name}
      value={edited}
      error={problem}
      onChange={(event) => setEdited(event.currentTarget.value)}
      onKeyDown={onKeyDown}
      onBlur={save}
      autoFocus
    />
  );
}

type Pages = InfiniteData<{ edges: { node: DataRecord }[] }>;

/** Shows the new value at once, takes it back if the service refuses it, and offers to undo it. */
function useStore(record: DataRecord, field: Field, view: View) {
  const queries = useQueryClient();
  const queryKey = recordsKey(view);
  const show = (value: unknown) =>
    queries.setQueryData<Pages>(queryKey, (old) => old && withValue(old, record.id, field.name, value));
  const update = useMutation({
    mutationFn: ({ value }: { value: unknown; before: unknown }) => {
      const { application, className, onBehalfOf } = view;
      const variables = { className, id: record.id, fields: { [field.name]: value } };
      return mutate({ application, onBehalfOf }, UPDATE_RECORD, variables);
    },
    onMutate: ({ value }) => show(value),
    onError: (_error, { before }) => show(before),
  });
  return (value: unknown, before: unknown) => {
    update.mutate(
      { value, before },
      {
        onSuccess: () => showUndo(`${field.name} changed`, () => update.mutate({ value: before, before: value })),
      },
    );
  };
}

function withValue(old: Pages, id: string, name: string, value: unknown): Pages {
  const change = (node: DataRecord) => (node.id === id ? { ...node, fields: { ...node.fields, [name]: value } } : node);
  return {
    ...old,
    pages: old.pages.map((page) => ({
      ...page,
      edges: page.edges.map((edge) => ({ ...edge, node: change(edge.node) })),
    })),
  };
}
