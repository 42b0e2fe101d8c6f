import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { mutate } from '../../app/clients.ts';
import { sentenceOf } from '../../app/query-client.ts';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Form } from '../../ui/form.tsx';
import { Time } from '../../ui/values.tsx';
import {
  CREATE_RECORDS,
  type DataRecord,
  DELETE_RECORDS,
  type Field,
  type RecordClass,
  UPDATE_RECORD,
} from './documents.ts';
import { FieldInput } from './field-input.tsx';
import { parseValue, textOf } from './values.ts';
import type { View } from './view.ts';

interface RecordFormProps {
  view: View;
  definition: RecordClass;
  /** Undefined to create one. */
  record?: DataRecord;
  onDone: () => void;
  onDeleted?: () => void;
  /** In a dialog that only has this form. */
  onCancel?: () => void;
}

/** All fields of one record. */
export function RecordForm({ view, definition, record, onDone, onDeleted = onDone, onCancel }: RecordFormProps) {
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
  return (
    <Form
      onSubmit={() => save.mutate()}
      action={record ? t`Save` : t`Create`}
      isPending={save.isPending}
      error={save.error}
      onCancel={onCancel}
      aside={
        record && (
          <ConfirmButton
            label={t`Delete`}
            question={t`Delete this record and its children?`}
            onConfirm={() => remove.mutate()}
          />
        )
      }
    >
      {record && <Facts record={record} />}
      {fields.map((field, index) => (
        <FieldInput
          key={field.name}
          field={field}
          label={field.name}
          text={texts[field.name] ?? ''}
          onChange={(text) => setTexts({ ...texts, [field.name]: text })}
          isFirst={!record && index === 0}
        />
      ))}
    </Form>
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
