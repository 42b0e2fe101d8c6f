import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack, TextInput } from '@mantine/core';
import { type SubmitEvent, useState } from 'react';

/** The handler of a form that calls `submit` instead of loading a page. */
export function submitting(submit: () => void) {
  return (event: SubmitEvent) => {
    event.preventDefault();
    submit();
  };
}

interface NameFormProps {
  placeholder?: string;
  initial?: string;
  action?: string;
  onCancel: () => void;
  onCreate: (name: string) => void;
  isPending: boolean;
}

/** Asks for the name of something new. */
export function NameForm({
  placeholder,
  initial = '',
  action = t`Create`,
  onCancel,
  onCreate,
  isPending,
}: NameFormProps) {
  const [name, setName] = useState(initial);
  return (
    <form onSubmit={submitting(() => onCreate(name))}>
      <Stack>
        <TextInput
          label={t`Name`}
          placeholder={placeholder}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={255}
          data-autofocus
          required
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" loading={isPending}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
