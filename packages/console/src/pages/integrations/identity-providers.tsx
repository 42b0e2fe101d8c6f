import { graphql } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Stack } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { mutate, query } from '../../app/clients.ts';
import { Loaded } from '../../ui/page.tsx';
import { ProviderCard, type ProviderField } from './provider-card.tsx';

const PROVIDERS = graphql(`query ConsoleIdentityProviders { identityProviders { provider publicId updatedAt } }`);
const UPDATE = graphql(`mutation ConsoleUpdateIdentityProvider($input: UpdateIdentityProviderInput!) {
  updateIdentityProvider(input: $input) { provider }
}`);
const DELETE = graphql(`mutation ConsoleDeleteIdentityProvider($provider: IdentityProviderKind!) {
  deleteIdentityProvider(provider: $provider)
}`);

type Kind = 'FACEBOOK' | 'TWITTER' | 'FIREBASE_PHONE';

const KINDS: { kind: Kind; input: string; name: string; description: string; fields: ProviderField[] }[] = [
  {
    kind: 'FACEBOOK',
    input: 'facebook',
    name: t`Facebook`,
    description: t`Users sign in with a token of Facebook Login.`,
    fields: [
      { name: 'appId', label: t`App id`, description: t`Digits, from the dashboard of the Facebook app` },
      { name: 'appSecret', label: t`App secret`, kind: 'secret' },
    ],
  },
  {
    kind: 'TWITTER',
    input: 'twitter',
    name: t`Twitter`,
    description: t`Users sign in with an OAuth access token.`,
    fields: [
      { name: 'consumerKey', label: t`Consumer key`, description: t`Also called API key` },
      { name: 'consumerSecret', label: t`Consumer secret`, kind: 'secret' },
    ],
  },
  {
    kind: 'FIREBASE_PHONE',
    input: 'firebasePhone',
    name: t`Firebase phone`,
    description: t`Users sign in with a phone number that Firebase has verified.`,
    fields: [{ name: 'projectId', label: t`Project id`, description: t`Tokens of other projects are rejected` }],
  },
];

export function IdentityProviders({ application }: { application: number }) {
  const queries = useQueryClient();
  const queryKey = [application, 'identity-providers'];
  const providers = useQuery({
    queryKey,
    queryFn: async ({ signal }) => (await query({ application }, PROVIDERS, {}, signal)).identityProviders,
  });
  const refresh = () => queries.invalidateQueries({ queryKey });
  return (
    <Loaded of={providers}>
      {(stored) => (
        <Stack>
          {KINDS.map(({ kind, input, name, description, fields }) => (
            <ProviderCard
              key={kind}
              name={name}
              description={description}
              fields={fields}
              stored={stored.find(({ provider }) => provider === kind)}
              onSave={async (values) => {
                await mutate({ application }, UPDATE, { input: { [input]: values } as never });
                await refresh();
              }}
              onDelete={async () => {
                await mutate({ application }, DELETE, { provider: kind });
                await refresh();
              }}
              deletion={t`Delete the settings of ${name}? Users can no longer sign in with it, but remain.`}
            />
          ))}
        </Stack>
      )}
    </Loaded>
  );
}
