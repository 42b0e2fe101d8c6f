import { graphql, type ResultOf } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Checkbox, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { administratorQuery } from '../app/administrator.ts';
import { clientOf, SERVICE } from '../app/clients.ts';
import { EntryCard } from '../app/sign-in-page.tsx';
import { checkedProps, Problem, submitting, textProps } from '../ui/form.tsx';
import { Loaded } from '../ui/page.tsx';

const LINK = graphql(`query ConsoleLink($token: String!) {
  administratorLink(token: $token) { purpose email name hasAccount hasTotp passkeyNames }
}`);

const ACCEPT = graphql(`mutation ConsoleAccept($token: String!, $input: AcceptAdministratorLinkInput!) {
  acceptAdministratorLink(token: $token, input: $input) { id }
}`);

type AccountOfLink = NonNullable<ResultOf<typeof LINK>['administratorLink']>;

const TITLES = {
  SETUP: t`Create the first administrator`,
  INVITATION: t`Accept your invitation`,
  PASSWORD_RESET: t`Set a new password`,
};

/** The target of a one-time link, whose token is in the fragment, so that no server logs it. */
export function WelcomePage() {
  const [token] = useState(() => location.hash.slice(1));
  const link = useQuery({
    queryKey: ['link', token],
    queryFn: async () => (await clientOf(SERVICE).query(LINK, { token })).administratorLink,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Loaded of={link}>{(account) => (account ? <Accept token={token} account={account} /> : <DeadLink />)}</Loaded>
  );
}

function DeadLink() {
  return (
    <EntryCard title={t`This link no longer works`}>
      <Text>
        <Trans>
          It has expired or was used already. Request a new password on the sign-in page, ask for another invitation, or
          let an operator create a link: <code>npm run cli -- admin create --email you@example.com</code>
        </Trans>
      </Text>
      <Button component={Link} to="/sign-in" variant="default">{t`Go to the sign-in`}</Button>
    </EntryCard>
  );
}

function Accept({ token, account }: { token: string; account: AccountOfLink }) {
  const [email, setEmail] = useState(account.email ?? '');
  const [name, setName] = useState(account.name ?? '');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [keepPasskeys, setKeepPasskeys] = useState(false);
  const { data: me } = useQuery(administratorQuery);
  const isSetup = account.purpose === 'SETUP';
  const isJoining = account.purpose === 'INVITATION' && account.hasAccount;
  const isSignedIn = isJoining && me?.email === account.email;
  const accept = useMutation({
    meta: { showsErrors: true },
    mutationFn: () =>
      clientOf(SERVICE).mutate(ACCEPT, {
        token,
        input: {
          email,
          name: name.trim() === '' ? null : name,
          password: isSignedIn ? null : password,
          code: code === '' ? null : code,
          keepPasskeys,
        },
      }),
    onSuccess: async () => {
      await queries.fetchQuery({ ...administratorQuery, staleTime: 0 });
      await navigate({ to: '/' });
    },
  });
  const submit = submitting(() => accept.mutate());
  return (
    <EntryCard title={TITLES[account.purpose]}>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label={t`Email address`}
            type="email"
            autoComplete="username"
            {...textProps(email, setEmail)}
            readOnly={!isSetup}
            required
          />
          {!account.hasAccount && (
            <TextInput
              label={t`Name`}
              description={t`Other administrators see it`}
              autoComplete="name"
              {...textProps(name, setName)}
            />
          )}
          {isJoining && <Text>{t`You have an account already. The roles of the invitation are added to it.`}</Text>}
          {!isSignedIn && (
            <PasswordInput
              label={t`Password`}
              description={isJoining ? t`Of your account` : t`At least 12 characters`}
              autoComplete={isJoining ? 'current-password' : 'new-password'}
              {...textProps(password, setPassword)}
              minLength={isJoining ? undefined : 12}
              required
            />
          )}
          {account.hasTotp && !isSignedIn && (
            <TextInput
              label={t`Code`}
              description={t`Of your authenticator app, or a recovery code`}
              autoComplete="one-time-code"
              {...textProps(code, setCode)}
              required
            />
          )}
          {account.passkeyNames.length > 0 && (
            <Checkbox
              label={t`Keep my passkeys: ${account.passkeyNames.join(', ')}`}
              description={t`If you do not recognize all of them, leave this off and add yours again`}
              {...checkedProps(keepPasskeys, setKeepPasskeys)}
            />
          )}
          <Problem of={accept.error} />
          <Button type="submit" loading={accept.isPending}>
            {isSignedIn ? <Trans>Accept</Trans> : <Trans>Continue</Trans>}
          </Button>
        </Stack>
      </form>
    </EntryCard>
  );
}
