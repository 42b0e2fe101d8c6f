import { AtriumError, graphql } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Alert, Button, Divider, PasswordInput, Stack, TextInput } from '@mantine/core';
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Footer, submitting, textProps } from '../ui/form.tsx';
import { administratorQuery, useMe } from './administrator.ts';
import { clientOf, SERVICE } from './clients.ts';
import {
  confirmWithPasskey,
  passkeyObstacle,
  passkeySentence,
  signInWithPasskey,
  usePasskeyAutofill,
} from './passkeys.ts';
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
  const [autofillError, setAutofillError] = useState<Error | null>(null);
  const signedIn = async () => {
    await queries.fetchQuery({ ...administratorQuery, staleTime: 0 });
    onDone();
  };
  const signIn = useMutation({
    meta: { showsErrors: true },
    mutationFn: () => clientOf(SERVICE).mutate(SIGN_IN, { email, ...fields.values }),
    onError: fields.onError,
    onSuccess: signedIn,
  });
  const withPasskey = useMutation({
    meta: { showsErrors: true },
    mutationFn: signInWithPasskey,
    onMutate: () => {
      signIn.reset();
      setAutofillError(null);
    },
    onSuccess: signedIn,
  });
  const submit = submitting(() => {
    withPasskey.reset();
    setAutofillError(null);
    signIn.mutate();
  });
  usePasskeyAutofill(withPasskey.isIdle || withPasskey.isError, signedIn, setAutofillError);
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={t`Email address`}
          type="email"
          autoComplete="username webauthn"
          {...textProps(email, setEmail)}
          required
          data-autofocus
        />
        {fields.inputs}
        <Problem error={signIn.error ?? withPasskey.error ?? autofillError} />
        <Button type="submit" loading={signIn.isPending} fullWidth>{t`Sign in`}</Button>
        {!passkeyObstacle && (
          <>
            <Divider label={t`or`} />
            <PasskeyButton request={withPasskey} label={t`Sign in with a passkey`} />
          </>
        )}
      </Stack>
    </form>
  );
}

export function ConfirmForm({ onDone, onCancel }: { onDone: () => void; onCancel: () => void }) {
  const { hasTotp, passkeyCount } = useMe();
  const fields = useCredentials(hasTotp);
  const withPasskey = useMutation({ meta: { showsErrors: true }, mutationFn: confirmWithPasskey, onSuccess: onDone });
  const confirm = useMutation({
    meta: { showsErrors: true },
    mutationFn: () => clientOf(SERVICE).mutate(CONFIRM, fields.values),
    onError: fields.onError,
    onSuccess: onDone,
  });
  return (
    <form onSubmit={submitting(confirm.mutate)}>
      <Stack>
        {passkeyCount > 0 && !passkeyObstacle && (
          <>
            <PasskeyButton request={withPasskey} label={t`Confirm with a passkey`} />
            <Divider label={t`or`} />
          </>
        )}
        {fields.inputs}
        <Problem error={confirm.error ?? withPasskey.error} />
        <Footer onCancel={onCancel}>
          <Button type="submit" loading={confirm.isPending}>{t`Confirm`}</Button>
        </Footer>
      </Stack>
    </form>
  );
}

function PasskeyButton({ request, label }: { request: UseMutationResult<void, Error, void>; label: string }) {
  return (
    <Button variant="default" fullWidth loading={request.isPending} onClick={() => request.mutate()}>
      {label}
    </Button>
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
        label={t`Password`}
        autoComplete="current-password"
        {...textProps(password, setPassword)}
        required
      />
      {needsCode && (
        <TextInput
          label={t`Code`}
          description={t`Of your authenticator app, or a recovery code`}
          autoComplete="one-time-code"
          {...textProps(code, setCode)}
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
      {passkeySentence(error) ?? sentenceOf(error)}
    </Alert>
  );
}

function isCodeMissing(error: Error): boolean {
  return error instanceof AtriumError && error.code === 'CODE_REQUIRED';
}
