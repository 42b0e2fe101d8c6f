import { graphql, type ResultOf } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Card, Divider, Group, Modal, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { mutate, query } from '../../app/clients.ts';
import { root } from '../../root.ts';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Empty, Loaded } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { Copyable, Time } from '../../ui/values.tsx';
import { IdentityProviders } from './identity-providers.tsx';
import { SignInProviderForm } from './sign-in-provider-form.tsx';

const ISSUERS = graphql(`query ConsoleTokenIssuers {
  tokenIssuers {
    name kind issuer audiences keysUrl algorithms keyIds subjectClaim isSingleUse signsUp
    clientId hasSecret scopes returnAddresses redirectUri updatedAt
  }
}`);
const DELETE = graphql(`mutation ConsoleDeleteTokenIssuer($name: String!) { deleteTokenIssuer(name: $name) }`);

export type TokenIssuer = ResultOf<typeof ISSUERS>['tokenIssuers'][number];

/** With whose accounts users sign in. */
export function SignIn({ application }: { application: number }) {
  return (
    <Stack>
      <SignInProviders application={application} />
      <IdentityProviders application={application} />
    </Stack>
  );
}

function SignInProviders({ application }: { application: number }) {
  const [edited, setEdited] = useState<TokenIssuer | 'new'>();
  const queries = useQueryClient();
  const queryKey = [application, 'token-issuers'];
  const issuers = useQuery({
    queryKey,
    queryFn: async ({ signal }) => (await query({ application }, ISSUERS, {}, signal)).tokenIssuers,
  });
  const refresh = () => queries.invalidateQueries({ queryKey });
  const remove = useMutation({
    mutationFn: (name: string) => mutate({ application }, DELETE, { name }),
    onSettled: refresh,
  });
  const close = () => setEdited(undefined);
  return (
    <Card withBorder component="section" aria-labelledby="sign-in-providers">
      <Group justify="space-between" align="flex-start">
        <div>
          <Title order={2} size="h5" id="sign-in-providers">{t`Sign-in providers`}</Title>
          <Text size="sm" c="dimmed">
            <Trans>Google, Apple, Microsoft, GitHub, other providers with OpenID Connect, and your own tokens.</Trans>
          </Text>
        </div>
        <Group gap="xs">
          <Button
            component="a"
            size="xs"
            variant="default"
            href={new URL('guides/sign-in-with-google', root).pathname}
            aria-label={t`Guide to sign-in providers`}
          >
            <Trans>Guide</Trans>
          </Button>
          <Button size="xs" onClick={() => setEdited('new')}>{t`Add provider`}</Button>
        </Group>
      </Group>
      <Loaded of={issuers}>
        {(loaded) =>
          loaded.length === 0 ? (
            <Empty title={t`No providers yet`}>
              <Trans>Users then sign in with an account that they have already, without another password.</Trans>
            </Empty>
          ) : (
            <Stack component="ul" gap="md" m={0} mt="md" p={0} style={{ listStyle: 'none' }}>
              {loaded.map((issuer) => (
                <Provider
                  key={issuer.name}
                  issuer={issuer}
                  onEdit={() => setEdited(issuer)}
                  onDelete={() => remove.mutate(issuer.name)}
                />
              ))}
            </Stack>
          )
        }
      </Loaded>
      <Modal
        opened={edited !== undefined}
        onClose={close}
        title={edited === 'new' ? t`Add provider` : t`Edit ${edited?.name ?? ''}`}
        closeOnClickOutside={false}
        size="lg"
      >
        {edited && (
          <SignInProviderForm
            application={application}
            stored={edited === 'new' ? undefined : edited}
            onCancel={close}
            onSaved={() => {
              close();
              void refresh();
            }}
          />
        )}
      </Modal>
    </Card>
  );
}

interface ProviderProps {
  issuer: TokenIssuer;
  onEdit: () => void;
  onDelete: () => void;
}

function Provider({ issuer, onEdit, onDelete }: ProviderProps) {
  const { name, kind, clientId, redirectUri, updatedAt } = issuer;
  return (
    <Stack component="li" gap="sm">
      <Divider />
      <Group justify="space-between" align="flex-start">
        <div style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
          <Group gap="xs">
            <Title order={3} size="h6">
              {name}
            </Title>
            <Status>{kind === 'GITHUB' ? t`GitHub` : t`OpenID Connect`}</Status>
            <Status tone={clientId === null ? 'plain' : 'good'}>
              {clientId === null ? t`Tokens only` : t`Redirects`}
            </Status>
          </Group>
          <Text size="sm" c="dimmed">
            <Trans>
              {issuer.issuer}, changed <Time of={updatedAt} />
            </Trans>
          </Text>
        </div>
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={onEdit} aria-label={t`Edit ${name}`}>{t`Edit`}</Button>
          <ConfirmButton
            label={t`Delete`}
            question={t`Delete “${name}”? Its users remain, but can no longer sign in with it.`}
            onConfirm={onDelete}
          />
        </Group>
      </Group>
      {clientId !== null && <Copyable label={t`Redirect address, to register with the provider`} value={redirectUri} />}
    </Stack>
  );
}
