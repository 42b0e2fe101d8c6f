import { t } from '@lingui/core/macro';
import { Button, Checkbox, Group, Select, Table, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { mutate } from '../../app/clients.ts';
import { checkedProps, Form, textProps } from '../../ui/form.tsx';
import { Heads } from '../../ui/heads.tsx';
import { CREATE_CLASS, type Field, type FieldType, type RecordClass, UPDATE_CLASS } from './documents.ts';
import { PermissionEffect } from './permission-effect.tsx';
import { CHOICE, type PermissionForm, PermissionInputs, permissionForm, permissionInput } from './permissions.tsx';
import { classesKey } from './use-class.ts';
import { TYPE_NAMES } from './values.ts';

interface FieldForm {
  key: number;
  name: string;
  type: FieldType;
  array: boolean;
  required: boolean;
  unique: boolean;
  index: boolean;
  /** Name, type and list of an existing field cannot change. */
  isStored: boolean;
}

let keys = 0;

const newField = (): FieldForm => ({
  key: ++keys,
  name: '',
  type: 'STRING',
  array: false,
  required: false,
  unique: false,
  index: false,
  isStored: false,
});

const storedField = ({ name, type, array, required, unique, index }: Field): FieldForm => ({
  key: ++keys,
  name,
  type,
  array,
  required,
  unique,
  index: index === 'READY' || index === 'BUILDING',
  isStored: true,
});

interface DesignerProps {
  application: number;
  /** Undefined to create one. */
  existing?: RecordClass;
  onDone: (name: string) => void;
  /** In a dialog. */
  onCancel?: () => void;
}

/** Fields, indexes and permissions of a class. */
export function Designer({ application, existing, onDone, onCancel }: DesignerProps) {
  const [name, setName] = useState(existing?.name ?? '');
  const [fields, setFields] = useState(() => existing?.fields.map(storedField) ?? [newField()]);
  const [permissions, setPermissions] = useState<PermissionForm>(() => permissionForm(existing?.permissions));
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: async () => {
      const named = fields.filter((field) => field.name.trim() !== '');
      const input = { fields: named.map(inputOf), permissions: permissionInput(permissions) };
      if (existing) await mutate({ application }, UPDATE_CLASS, { name, input });
      else await mutate({ application }, CREATE_CLASS, { input: { name, ...input } });
    },
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: classesKey(application) });
      onDone(name);
    },
  });
  const set = (key: number, change: Partial<FieldForm>) =>
    setFields(fields.map((field) => (field.key === key ? { ...field, ...change } : field)));
  return (
    <Form
      onSubmit={() => save.mutate()}
      action={existing ? t`Save` : t`Create class`}
      isPending={save.isPending}
      onCancel={onCancel}
    >
      {!existing && (
        <TextInput
          label={t`Name`}
          description={t`A letter, then letters, digits or _. For example Task`}
          {...textProps(name, setName)}
          maxLength={50}
          data-autofocus
          required
        />
      )}
      <Title order={2} size="h5">{t`Fields`}</Title>
      <Table className="stacked">
        <Heads of={[t`Name`, t`Type`, ...Object.values(SWITCHES)]} />
        <Table.Tbody>
          {fields.map((field) => (
            <FieldRow key={field.key} field={field} onChange={(change) => set(field.key, change)} />
          ))}
        </Table.Tbody>
      </Table>
      <Group>
        <Button variant="default" size="xs" onClick={() => setFields([...fields, newField()])}>{t`Add field`}</Button>
        <Text size="sm" c="dimmed">{t`An index keeps range filters and sorting fast.`}</Text>
      </Group>
      <Title order={2} size="h5">{t`Permissions`}</Title>
      <PermissionInputs application={application} value={permissions} onChange={setPermissions} />
      {existing && <PermissionEffect application={application} existing={existing} form={permissions} />}
    </Form>
  );
}

function inputOf({ name, type, array, required, unique, index }: FieldForm) {
  return { name: name.trim(), type, array, required, unique, index };
}

const TYPES = Object.entries(TYPE_NAMES).map(([value, label]) => ({ value, label }));
const SWITCHES = { array: t`List`, required: t`Required`, unique: t`Unique`, index: t`Index` };

function FieldRow({ field, onChange }: { field: FieldForm; onChange: (change: Partial<FieldForm>) => void }) {
  const { name, type, isStored } = field;
  const label = name || t`new field`;
  return (
    <Table.Tr>
      <Table.Td fw={isStored ? 600 : 400}>
        {isStored ? (
          name
        ) : (
          <TextInput
            aria-label={t`Name of ${label}`}
            placeholder={t`Name`}
            {...textProps(name, (value) => onChange({ name: value }))}
            maxLength={50}
          />
        )}
      </Table.Td>
      <Table.Td>
        {isStored ? (
          TYPE_NAMES[type]
        ) : (
          <Select
            aria-label={t`Type of ${label}`}
            data={TYPES}
            value={type}
            onChange={(chosen) => chosen && onChange({ type: chosen as FieldType })}
            allowDeselect={false}
            comboboxProps={{ zIndex: 500 }}
          />
        )}
      </Table.Td>
      {(Object.keys(SWITCHES) as (keyof typeof SWITCHES)[]).map((key) => (
        <Table.Td key={key} className="choice">
          <Checkbox
            aria-label={`${SWITCHES[key]}: ${label}`}
            label={SWITCHES[key]}
            classNames={CHOICE}
            {...checkedProps(field[key], (checked) => onChange({ [key]: checked }))}
            disabled={key === 'array' && isStored}
          />
        </Table.Td>
      ))}
    </Table.Tr>
  );
}
