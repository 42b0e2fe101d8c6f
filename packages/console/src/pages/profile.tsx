import { graphql } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Card, Code, Group, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { renderSVG } from 'uqr';
import { administratorQuery, useMe } from '../app/administrator.ts';
import { mutate, SERVICE } from '../app/clients.ts';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { submitting, textProps } from '../ui/form.tsx';
import { Page } from '../ui/page.tsx';
import { Copyable } from '../ui/values.tsx';
import { Passkeys } from './passkeys.tsx';

const CHANGE = graphql(`mutation ConsoleChangePassword($password: String!) {
  changeAdministratorPassword(password: $password)
}`);
const CREATE_SECRET = graphql(`mutation ConsoleTotpSecret { createTotpSecret { secret uri } }`);
const ENABLE = graphql(`mutation ConsoleEnableTotp($code: String!) { enableTotp(code: $code) }`);
const DISABLE = graphql(`mutation ConsoleDisableTotp { disableTotp }`);

export function ProfilePage() {
  const { name, email } = useMe();
  return (
    <Page title={name} description={email}>
      <Passkeys />
      <SecondFactor />
      <Password />
    </Page>
  );
}

function Password() {
  const [password, setPassword] = useState('');
  const { email } = useMe();
  const change = useMutation({
    mutationFn: () => mutate(SERVICE, CHANGE, { password }),
    onSuccess: () => {
      setPassword('');
      notifications.show({ message: t`Password changed. Your other sessions have ended.` });
    },
  });
  const submit = submitting(() => change.mutate());
  return (
    <Card withBorder component="form" onSubmit={submit}>
      <Stack align="flex-start">
        <Title order={2} size="h4">{t`Password`}</Title>
        <input type="text" value={email} autoComplete="username" readOnly hidden />
        <PasswordInput
          label={t`New password`}
          description={t`At least 12 characters. Your other sessions end.`}
          autoComplete="new-password"
          {...textProps(password, setPassword)}
          minLength={12}
          required
          w="100%"
          maw={360}
        />
        <Button type="submit" variant="default" loading={change.isPending}>{t`Change password`}</Button>
      </Stack>
    </Card>
  );
}

function SecondFactor() {
  const { hasTotp } = useMe();
  const [codes, setCodes] = useState<string[]>();
  const queries = useQueryClient();
  const refresh = () => queries.invalidateQueries({ queryKey: administratorQuery.queryKey });
  const start = useMutation({ mutationFn: async () => (await mutate(SERVICE, CREATE_SECRET, {})).createTotpSecret });
  const disable = useMutation({
    mutationFn: () => mutate(SERVICE, DISABLE, {}),
    onSuccess: () => {
      setCodes(undefined);
      return refresh();
    },
  });
  const enabled = (codes: string[]) => {
    setCodes(codes);
    start.reset();
    void refresh();
  };
  return (
    <Card withBorder>
      <Stack align="flex-start">
        <Title order={2} size="h4">{t`Authenticator app`}</Title>
        <Text>
          {hasTotp
            ? t`Signing in with your password also requires a code of your app.`
            : t`Protects your account if the password becomes known: signing in then also requires a code of your phone.`}
        </Text>
        {codes && <RecoveryCodes codes={codes} />}
        {hasTotp && (
          <ConfirmButton
            label={t`Turn off`}
            question={t`Signing in will require the password only.`}
            onConfirm={() => disable.mutate()}
          />
        )}
        {!hasTotp && !start.data && (
          <Button onClick={() => start.mutate()} loading={start.isPending}>{t`Set up`}</Button>
        )}
        {!hasTotp && start.data && <Enable {...start.data} onEnabled={enabled} />}
      </Stack>
    </Card>
  );
}

function Enable({ secret, uri, onEnabled }: { secret: string; uri: string; onEnabled: (codes: string[]) => void }) {
  const [code, setCode] = useState('');
  const enable = useMutation({
    mutationFn: async () => (await mutate(SERVICE, ENABLE, { code })).enableTotp,
    onSuccess: onEnabled,
  });
  const submit = submitting(() => enable.mutate());
  const image = `data:image/svg+xml,${encodeURIComponent(renderSVG(uri, { border: 2 }))}`;
  return (
    <Stack component="form" onSubmit={submit} w="100%">
      <Text>{t`1. Scan the code with your authenticator app, or type the secret.`}</Text>
      <img src={image} alt={t`QR code of the secret`} width={200} height={200} style={{ borderRadius: 8 }} />
      <Copyable label={t`Secret`} value={secret} />
      <TextInput
        label={t`2. Enter the code that the app shows`}
        inputMode="numeric"
        autoComplete="one-time-code"
        {...textProps(code, setCode)}
        maxLength={7}
        maw={240}
        required
      />
      <Group>
        <Button type="submit" loading={enable.isPending}>{t`Turn on`}</Button>
      </Group>
    </Stack>
  );
}

function RecoveryCodes({ codes }: { codes: string[] }) {
  return (
    <Stack gap="xs" w="100%">
      <Text fw={600}>{t`Store these recovery codes now: they are shown only once.`}</Text>
      <Text size="sm" c="dimmed">
        <Trans>Each replaces one code of the app, for example after you have lost your phone.</Trans>
      </Text>
      <Code block>{codes.join('\n')}</Code>
    </Stack>
  );
}
