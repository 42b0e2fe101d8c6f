import { graphql } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Button, Card, Center, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { submitting, textProps } from '../ui/form.tsx';
import { clientOf, SERVICE } from './clients.ts';
import { Logo } from './logo.tsx';
import { SignInForm } from './sign-in-forms.tsx';

const REQUEST_LINK = graphql(
  `mutation ConsoleRequestLink($email: String!) { requestAdministratorLink(email: $email) }`,
);

export function SignInPage() {
  const { to } = useSearch({ from: '/sign-in' });
  const router = useRouter();
  const [isForgotten, setForgotten] = useState(false);
  document.title = t`Sign in – Atrium console`;
  return (
    <EntryCard title={isForgotten ? t`Set a new password` : t`Sign in to the console`}>
      {isForgotten ? (
        <RequestLink />
      ) : (
        <SignInForm onDone={() => (isPath(to) ? router.history.push(to) : void router.navigate({ to: '/' }))} />
      )}
      <Anchor component="button" type="button" size="sm" onClick={() => setForgotten(!isForgotten)}>
        {isForgotten ? t`Back to the sign-in` : t`Forgotten your password?`}
      </Anchor>
    </EntryCard>
  );
}

/** Excludes addresses of other sites. */
function isPath(address: string | undefined): address is string {
  return address?.startsWith('/') === true && !address.startsWith('//');
}

/** A page outside of the shell. */
export function EntryCard({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <Center component="main" mih="100dvh" p="md">
      <Card withBorder shadow="sm" padding="xl" w="100%" maw={420}>
        <Stack>
          <Logo />
          <Title order={1} size="h3">
            {title}
          </Title>
          {children}
        </Stack>
      </Card>
    </Center>
  );
}

function RequestLink() {
  const [email, setEmail] = useState('');
  const request = useMutation({ mutationFn: () => clientOf(SERVICE).mutate(REQUEST_LINK, { email }) });
  if (request.isSuccess) {
    return (
      <Text role="status">
        <Trans>
          If this is the address of an administrator, a mail with a link is on its way. Without a mail server, an
          operator can create a link: <code>npm run cli -- admin link {email}</code>
        </Trans>
      </Text>
    );
  }
  const submit = submitting(() => request.mutate());
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={t`Email address`}
          type="email"
          autoComplete="username"
          {...textProps(email, setEmail)}
          required
        />
        <Button type="submit" loading={request.isPending}>{t`Send a link`}</Button>
      </Stack>
    </form>
  );
}
