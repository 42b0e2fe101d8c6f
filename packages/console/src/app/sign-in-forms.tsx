import { AtriumError, graphql } from '@atrium/client';
import { Alert, Button, Group, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { submitting } from '../ui/form.tsx';
import { administratorQuery, useMe } from './administrator.ts';
import { clientOf, SERVICE } from './clients.ts';
import { sentenceOf } from './query-client.ts';

const SIGN_IN = graphql(`mutation ConsoleSignIn($email: String!, $password: String!, $code: String) {
  signInAdministrator(email: $email, password: $password, code: $code) { id }
}`);

const CONFIRM = graphql(`mutation ConsoleConfirm($password: String!, $code: String) {
  confirmAdministrator(password: $password, code: $code) { id }
}`);

export function SignInForm({ onDone }: { onDone: () => void }) {
  const [email, setEmail] = useState('');
  const fields = useCredentials();
  const queries = useQueryClient();
  const signIn = useMutation({
    meta: { showsErrors: true },
    mutationFn: () => clientOf(SERVICE).mutate(SIGN_IN, { email, ...fields.values }),
    onError: fields.onError,
    onSuccess: async () => {
      await queries.fetchQuery({ ...administratorQuery, staleTime: 0 });
      onDone();
    },
  });
  return (
    <form onSubmit={submitting(signIn.mutate)}>
      <Stack>
        <TextInput
          label="Email address"
          type="email"
          autoComplete="username"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          required
          data-autofocus
        />
        {fields.inputs}
        <Problem error={signIn.error} />
        <Button type="submit" loading={signIn.isPending} fullWidth>
          Sign in
        </Button>
      </Stack>
    </form>
  );
}

export function ConfirmForm({ onDone, onCancel }: { onDone: () => void; onCancel: () => void }) {
  const { hasTotp } = useMe();
  const fields = useCredentials(hasTotp);
  const confirm = useMutation({
    meta: { showsErrors: true },
    mutationFn: () => clientOf(SERVICE).mutate(CONFIRM, fields.values),
    onError: fields.onError,
    onSuccess: onDone,
  });
  return (
    <form onSubmit={submitting(confirm.mutate)}>
      <Stack>
        {fields.inputs}
        <Problem error={confirm.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={confirm.isPending}>
            Confirm
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Password, and the code once the service requires it. */
function useCredentials(hasTotp = false) {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [needsCode, setNeedsCode] = useState(hasTotp);
  const inputs = (
    <>
      <PasswordInput
        label="Password"
        autoComplete="current-password"
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        required
      />
      {needsCode && (
        <TextInput
          label="Code"
          description="Of your authenticator app, or a recovery code"
          autoComplete="one-time-code"
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          autoFocus
          required
        />
      )}
    </>
  );
  const onError = (error: Error) => {
    if (isCodeMissing(error)) setNeedsCode(true);
  };
  return { inputs, onError, values: { password, code: code === '' ? null : code } };
}

/** A missing code is no problem to report: the form asks for it. */
function Problem({ error }: { error: Error | null }) {
  if (!error || isCodeMissing(error)) return null;
  return (
    <Alert color="red" role="alert">
      {sentenceOf(error)}
    </Alert>
  );
}

function isCodeMissing(error: Error): boolean {
  return error instanceof AtriumError && error.code === 'CODE_REQUIRED';
}
