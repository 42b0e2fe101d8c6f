import { t } from '@lingui/core/macro';
import { Button, Group, Stack, TextInput } from '@mantine/core';
import { type ReactNode, type SubmitEvent, useState } from 'react';

/** The handler of a form that calls `submit` instead of loading a page. */
export function submitting(submit: () => void) {
  return (event: SubmitEvent) => {
    event.preventDefault();
    submit();
  };
}

interface FooterProps {
  /** Of a dialog. */
  onCancel?: (() => void) | undefined;
  /** At the other side. */
  aside?: ReactNode;
  /** The button of the form. */
  children: ReactNode;
}

/** The buttons of a form. In a dialog they stay in view. */
export function Footer({ onCancel, aside, children }: FooterProps) {
  return (
    <Group className="footer" justify="flex-end" gap="sm">
      {aside && <div className="footer-aside">{aside}</div>}
      {onCancel && <Button variant="default" onClick={onCancel}>{t`Cancel`}</Button>}
      {children}
    </Group>
  );
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
        <Footer onCancel={onCancel}>
          <Button type="submit" loading={isPending}>
            {action}
          </Button>
        </Footer>
      </Stack>
    </form>
  );
}
