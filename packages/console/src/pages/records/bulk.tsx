import { plural, t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { Button, Group, Menu, Modal, Paper, Select, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { IconDownload, IconEdit } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { sentenceOf } from '../../app/query-client.ts';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Form } from '../../ui/form.tsx';
import { deleteRecords, useChanges } from './changes.ts';
import type { DataRecord, RecordClass } from './documents.ts';
import { download, type Format } from './export.ts';
import { FieldInput } from './field-input.tsx';
import { parseValue } from './values.ts';
import type { View } from './view.ts';

interface BulkProps {
  view: View;
  definition: RecordClass;
  records: DataRecord[];
  onClear: () => void;
  onDeleted: () => void;
}

/** What can be done with the selected records. */
export function Bulk({ view, definition, records, onClear, onDeleted }: BulkProps) {
  const [isOpen, { open, close }] = useDisclosure();
  const remove = useMutation({
    mutationFn: (ids: string[]) => deleteRecords(view, ids),
    onSuccess: (_data, { length: count }) => {
      notifications.show({ message: plural(count, { one: '# record deleted', other: '# records deleted' }) });
      onClear();
    },
    onSettled: onDeleted,
  });
  const exportAs = (format: Format) => download(definition, format, records);
  return (
    <Paper withBorder p="xs" mb="sm" role="region" aria-label={t`Selected records`}>
      <Group gap="xs">
        <Text size="sm" fw={600} mr="sm">
          <Plural value={records.length} one="# record selected" other="# records selected" />
        </Text>
        <Button size="xs" variant="default" leftSection={<IconEdit size={14} />} onClick={open}>
          <Trans>Edit a field</Trans>
        </Button>
        <Menu>
          <Menu.Target>
            <Button size="xs" variant="default" leftSection={<IconDownload size={14} />}>{t`Export`}</Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => exportAs('csv')}>CSV</Menu.Item>
            <Menu.Item onClick={() => exportAs('json')}>JSON</Menu.Item>
          </Menu.Dropdown>
        </Menu>
        <ConfirmButton
          label={t`Delete selected`}
          question={plural(records.length, {
            one: 'Delete # record and its children? This cannot be undone.',
            other: 'Delete # records and their children? This cannot be undone.',
          })}
          onConfirm={() => remove.mutate(records.map(({ id }) => id))}
          isLoading={remove.isPending}
        />
        <Button size="xs" variant="subtle" onClick={onClear}>{t`Clear the selection`}</Button>
      </Group>
      <Modal opened={isOpen} onClose={close} title={t`Edit a field`}>
        <BulkForm view={view} definition={definition} records={records} onDone={close} />
      </Modal>
    </Paper>
  );
}

type BulkFormProps = Pick<BulkProps, 'view' | 'definition' | 'records'> & { onDone: () => void };

/** One value for all selected records. */
function BulkForm({ view, definition, records, onDone }: BulkFormProps) {
  const fields = definition.fields.filter(({ type }) => type !== 'FILE');
  const [name, setName] = useState(fields[0]?.name);
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const change = useChanges(view);
  const field = fields.find((one) => one.name === name);
  if (!field) return <Text>{t`This class has no field that can be edited here.`}</Text>;
  const submit = () => {
    try {
      const value = parseValue(text, field);
      change(
        records.map((record) => ({ record, fields: { [field.name]: value } })),
        plural(records.length, { one: '# record changed', other: '# records changed' }),
      );
      onDone();
    } catch (error) {
      setProblem(sentenceOf(error));
    }
  };
  return (
    <Form
      onSubmit={submit}
      action={<Plural value={records.length} one="Change # record" other="Change # records" />}
      onCancel={onDone}
    >
      <Select
        label={t`Field`}
        data={fields.map((one) => one.name)}
        value={field.name}
        onChange={(value) => {
          if (value) setName(value);
          setText('');
        }}
        allowDeselect={false}
      />
      <FieldInput
        key={field.name}
        field={field}
        label={t`New value`}
        text={text}
        error={problem}
        onChange={setText}
        isFirst
      />
    </Form>
  );
}
