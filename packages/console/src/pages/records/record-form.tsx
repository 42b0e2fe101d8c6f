import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Button, Group, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { mutate } from '../../app/clients.ts';
import { sentenceOf } from '../../app/query-client.ts';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { submitting } from '../../ui/form.tsx';
import { Time } from '../../ui/values.tsx';
import {
  CREATE_RECORDS,
  type DataRecord,
  DELETE_RECORDS,
  type Field,
  type RecordClass,
  UPDATE_RECORD,
} from './documents.ts';
import { FORMATS, parseValue, TYPE_NAMES, textOf } from './values.ts';
import type { View } from './view.ts';

interface RecordFormProps {
  view: View;
  definition: RecordClass;
  /** Undefined to create one. */
  record?: DataRecord;
  onDone: () => void;
  onDeleted?: () => void;
}

/** All fields of one record. */
export function RecordForm({ view, definition, record, onDone, onDeleted = onDone }: RecordFormProps) {
  const { application, className, onBehalfOf } = view;
  const fields = definition.fields.filter(({ type }) => type !== 'FILE');
  const initial = Object.fromEntries(fields.map((field) => [field.name, textOf(record?.fields?.[field.name], field)]));
  const [texts, setTexts] = useState<Record<string, string>>(initial);
  const save = useMutation({
    meta: { showsErrors: true },
    mutationFn: async () => {
      const changed = fields.filter(({ name }) => texts[name] !== initial[name]);
      const values = Object.fromEntries(changed.map((field) => [field.name, valueIn(field, texts)]));
      const target = { application, onBehalfOf };
      if (record) await mutate(target, UPDATE_RECORD, { className, id: record.id, input: { fields: values } });
      else await mutate(target, CREATE_RECORDS, { className, records: [{ fields: values }] });
    },
    onSuccess: onDone,
  });
  const remove = useMutation({
    mutationFn: () => mutate({ application, onBehalfOf }, DELETE_RECORDS, { className, ids: [record!.id] }),
    onSuccess: onDeleted,
  });
  const submit = submitting(() => save.mutate());
  return (
    <form onSubmit={submit}>
      <Stack>
        {record && <Facts record={record} />}
        {fields.map(({ name, type, array, required }) => {
          if (type === 'BOOLEAN' && !array) {
            return (
              <Select
                key={name}
                label={name}
                data={['true', 'false']}
                value={texts[name] || null}
                onChange={(text) => setTexts({ ...texts, [name]: text ?? '' })}
                placeholder={TYPE_NAMES[type]}
                withAsterisk={required}
                clearable={!required}
              />
            );
          }
          // Only this one keeps the lines of a text.
          const Input = type === 'STRING' && !array ? Textarea : TextInput;
          return (
            <Input
              key={name}
              label={name}
              description={array ? t`A list in JSON, for example ["a", "b"]` : FORMATS[type] || TYPE_NAMES[type]}
              value={texts[name] ?? ''}
              onChange={(event) => setTexts({ ...texts, [name]: event.currentTarget.value })}
              withAsterisk={required}
              {...(Input === Textarea && { autosize: true, minRows: 1, maxRows: 12 })}
            />
          );
        })}
        {save.error && (
          <Alert color="red" role="alert">
            {sentenceOf(save.error)}
          </Alert>
        )}
        <Group justify="space-between">
          {record ? (
            <ConfirmButton
              label={t`Delete`}
              question={t`Delete this record and its children?`}
              onConfirm={() => remove.mutate()}
            />
          ) : (
            <span />
          )}
          <Button type="submit" loading={save.isPending}>
            {record ? t`Save` : t`Create`}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function valueIn(field: Field, texts: Record<string, string>): unknown {
  try {
    return parseValue(texts[field.name] ?? '', field);
  } catch (error) {
    throw new Error(`${field.name}: ${sentenceOf(error)}`);
  }
}

function Facts({ record: { userId, parentId, createdAt, updatedAt } }: { record: DataRecord }) {
  const owner = userId ? t`owned by user ${userId}` : t`without owner`;
  return (
    <Text size="sm" c="dimmed">
      <Trans>
        Created <Time of={createdAt} />, changed <Time of={updatedAt} />, {owner}
      </Trans>
      {parentId && (
        <>
          , <Trans>child of {parentId}</Trans>
        </>
      )}
    </Text>
  );
}
