import { t } from '@lingui/core/macro';
import { Alert, Button, Group, Stack, TextInput } from '@mantine/core';
import { type ReactNode, type SubmitEvent, useState } from 'react';
import { sentenceOf } from '../app/query-client.ts';

/** The handler of a form that calls `submit` instead of loading a page. */
export function submitting(submit: () => void) {
  return (event: SubmitEvent) => {
    event.preventDefault();
    submit();
  };
}

/** The props of an input for a text. */
export const textProps = (value: string, set: (text: string) => void) => ({
  value,
  onChange: (event: { currentTarget: { value: string } }) => set(event.currentTarget.value),
});

/** The props of a checkbox or switch. */
export const checkedProps = (checked: boolean, set: (isChecked: boolean) => void) => ({
  checked,
  onChange: (event: { currentTarget: { checked: boolean } }) => set(event.currentTarget.checked),
});

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

interface FormProps {
  onSubmit: () => void;
  /** Of its button. */
  action: ReactNode;
  isPending?: boolean;
  isDisabled?: boolean;
  /** Of a request that does not report its errors itself. */
  error?: unknown;
  onCancel?: FooterProps['onCancel'];
  aside?: FooterProps['aside'];
  children: ReactNode;
}

/** Fields above each other, a problem with what was sent, and the buttons. */
export function Form({
  onSubmit,
  action,
  isPending = false,
  isDisabled = false,
  error,
  children,
  ...footer
}: FormProps) {
  return (
    <form onSubmit={submitting(onSubmit)}>
      <Stack>
        {children}
        <Problem of={error} />
        <Footer {...footer}>
          <Button type="submit" loading={isPending} disabled={isDisabled}>
            {action}
          </Button>
        </Footer>
      </Stack>
    </form>
  );
}

/** An error or a sentence, if there is one. */
export function Problem({ of: problem }: { of: unknown }) {
  if (!problem) return null;
  return (
    <Alert color="red" role="alert">
      {sentenceOf(problem)}
    </Alert>
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
    <Form onSubmit={() => onCreate(name)} action={action} isPending={isPending} onCancel={onCancel}>
      <TextInput
        label={t`Name`}
        placeholder={placeholder}
        {...textProps(name, setName)}
        maxLength={255}
        data-autofocus
        required
      />
    </Form>
  );
}
