import { graphql } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, SegmentedControl, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { mutate, query } from '../../app/clients.ts';
import { Loaded } from '../../ui/page.tsx';
import { ProviderCard, type ProviderField } from './provider-card.tsx';

const SETTINGS = graphql(`query ConsolePushSettings { pushSettings { environment provider publicId updatedAt } }`);
const UPDATE = graphql(`mutation ConsoleUpdatePushSettings($environment: String!, $input: UpdatePushSettingsInput!) {
  updatePushSettings(environment: $environment, input: $input) { provider }
}`);
const DELETE = graphql(`mutation ConsoleDeletePushSettings($environment: String!, $provider: PushProvider!) {
  deletePushSettings(environment: $environment, provider: $provider)
}`);

type Provider = 'APNS' | 'FCM' | 'WEB';

const PROVIDERS: { provider: Provider; name: string; description: string; fields: ProviderField[] }[] = [
  {
    provider: 'APNS',
    name: t`Apple (APNs)`,
    description: t`Pushes to iPhone, iPad and Mac.`,
    fields: [
      { name: 'topic', label: t`Topic`, description: t`Bundle id of the app, for example com.example.shop` },
      { name: 'teamId', label: t`Team id` },
      { name: 'keyId', label: t`Key id` },
      { name: 'key', label: t`Key`, description: t`Content of the .p8 file`, kind: 'file' },
    ],
  },
  {
    provider: 'FCM',
    name: t`Google (FCM)`,
    description: t`Pushes to Android devices.`,
    fields: [
      {
        name: 'serviceAccount',
        label: t`Service account`,
        description: t`Content of the JSON file from the Firebase console`,
        kind: 'file',
      },
    ],
  },
  {
    provider: 'WEB',
    name: t`Browsers (Web Push)`,
    description: t`Pushes to browsers. The service generates the key pair.`,
    fields: [
      {
        name: 'subject',
        label: t`Contact`,
        description: t`A mailto: or https: address for operators of push services`,
      },
    ],
  },
];

function inputOf(provider: Provider, values: Record<string, string>): object {
  if (provider !== 'FCM') return { [provider.toLowerCase()]: values };
  try {
    return { fcm: { serviceAccount: JSON.parse(values.serviceAccount ?? '') } };
  } catch {
    throw new Error(t`The service account is not JSON. Paste the complete file.`);
  }
}

export function PushProviders({ application }: { application: number }) {
  const [environment, setEnvironment] = useState('production');
  const queries = useQueryClient();
  const queryKey = [application, 'push-settings'];
  const settings = useQuery({
    queryKey,
    queryFn: async ({ signal }) => (await query({ application }, SETTINGS, {}, signal)).pushSettings,
  });
  const refresh = () => queries.invalidateQueries({ queryKey });
  return (
    <Stack>
      <SegmentedControl
        aria-label={t`Environment`}
        data={[
          { value: 'production', label: t`Production` },
          { value: 'development', label: t`Development` },
        ]}
        value={environment}
        onChange={setEnvironment}
        maw={320}
      />
      <Loaded of={settings}>
        {(stored) =>
          PROVIDERS.map(({ provider, name, description, fields }) => (
            <ProviderCard
              key={`${environment} ${provider}`}
              name={name}
              description={description}
              fields={fields}
              stored={stored.find((one) => one.provider === provider && one.environment === environment)}
              onSave={async (values) => {
                await mutate({ application }, UPDATE, { environment, input: inputOf(provider, values) as never });
                await refresh();
              }}
              onDelete={async () => {
                await mutate({ application }, DELETE, { environment, provider });
                await refresh();
              }}
              deletion={t`Delete the settings of ${name}? Its pushes stop. Registered devices remain.`}
            />
          ))
        }
      </Loaded>
      <Text size="sm" c="dimmed">
        <Trans>
          To test a provider, send a push to one user on the page{' '}
          <Anchor component={Link} to="/apps/$application/pushes" params={{ application } as never} underline="always">
            Pushes
          </Anchor>
          , which shows the outcome per device.
        </Trans>
      </Text>
    </Stack>
  );
}
