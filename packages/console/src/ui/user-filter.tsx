import { t } from '@lingui/core/macro';
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTypedFilter } from '../app/typing.ts';

/** The id of a user in the address, which is untrusted. @returns undefined for none */
export function readUserId(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}

interface UserFilterProps {
  label: string;
  value: string | undefined;
  onChange: (user: string | undefined) => void;
}

/** Input of a user id, applied after a pause in typing. */
export function UserFilter({ label, value, onChange }: UserFilterProps) {
  const [text, setText] = useState(value ?? '');
  const apply = useTypedFilter((next: string) => onChange(next || undefined));
  return (
    <TextInput
      label={label}
      description={t`Id of a user`}
      inputMode="numeric"
      value={text}
      onChange={({ currentTarget: { value } }) => {
        setText(value.trim());
        apply(value.trim());
      }}
    />
  );
}
