import { t } from '@lingui/core/macro';
import { Group, MultiSelect, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTypedFilter } from '../../app/typing.ts';
import { useClasses } from '../records/use-class.ts';
import { DIALOG_KINDS, KINDS, RECORD_KINDS } from './documents.ts';

export interface LiveSearch {
  class?: string | undefined;
  dialog?: string | undefined;
  kinds?: string | undefined;
}

interface FiltersProps {
  application: number;
  search: LiveSearch;
  /** Only developers may read records. */
  hasRecords: boolean;
  onChange: (change: LiveSearch) => void;
}

export function Filters({ application, search, hasRecords, onChange }: FiltersProps) {
  const isOfRecords = search.class !== undefined;
  const kinds = (isOfRecords ? RECORD_KINDS : DIALOG_KINDS).map((value) => ({ value, label: KINDS[value] }));
  return (
    <Group className="filters" align="flex-end">
      {hasRecords && (
        <ClassSelect
          application={application}
          value={search.class}
          onChange={(name) => onChange({ class: name, dialog: undefined, kinds: undefined })}
        />
      )}
      {!isOfRecords && <DialogInput value={search.dialog} onChange={(dialog) => onChange({ dialog })} />}
      <MultiSelect
        label={t`Kinds`}
        placeholder={search.kinds === undefined ? t`All` : undefined}
        data={kinds}
        value={search.kinds?.split(',') ?? []}
        onChange={(chosen) => onChange({ kinds: chosen.join(',') || undefined })}
        clearable
        className="filter-wide"
      />
    </Group>
  );
}

function ClassSelect({
  application,
  value,
  onChange,
}: {
  application: number;
  value: string | undefined;
  onChange: (name: string | undefined) => void;
}) {
  const { data: classes = [] } = useClasses(application);
  const names = classes.map(({ name }) => ({ value: name, label: t`Records of ${name}` }));
  return (
    <Select
      label={t`Source`}
      data={[{ value: '', label: t`Dialogs` }, ...names]}
      value={value ?? ''}
      onChange={(name) => onChange(name || undefined)}
      allowDeselect={false}
      searchable={names.length > 8}
    />
  );
}

const DIALOG_ID = /^[0-9a-f]{24}$/;

function DialogInput({
  value,
  onChange,
}: {
  value: string | undefined;
  onChange: (dialog: string | undefined) => void;
}) {
  const [text, setText] = useState(value ?? '');
  const isValid = text === '' || DIALOG_ID.test(text);
  const apply = useTypedFilter((next: string) => onChange(next || undefined));
  return (
    <TextInput
      label={t`Dialog`}
      placeholder={t`Id; empty: all`}
      error={isValid ? undefined : t`24 hex digits`}
      value={text}
      onChange={({ currentTarget: { value } }) => {
        const next = value.trim().toLowerCase();
        setText(next);
        if (next === '' || DIALOG_ID.test(next)) apply(next);
      }}
    />
  );
}

/** From the address, whose text is untrusted. @returns undefined for none */
export function readDialogId(text: string | undefined): string | undefined {
  return text !== undefined && DIALOG_ID.test(text) ? text : undefined;
}
