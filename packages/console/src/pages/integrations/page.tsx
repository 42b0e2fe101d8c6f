import { Tabs } from '@mantine/core';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Page } from '../../ui/page.tsx';
import { Assistants } from './assistants.tsx';
import { IdentityProviders } from './identity-providers.tsx';
import { Mail } from './mail.tsx';
import { PushProviders } from './push-providers.tsx';
import { Usage } from './usage.tsx';

const from = '/shell/apps/$application/integrations';

const TABS = [
  { value: 'sign-in', label: 'Sign-in', Content: IdentityProviders },
  { value: 'mail', label: 'Mail', Content: Mail },
  { value: 'models', label: 'Models', Content: Assistants },
  { value: 'tokens', label: 'Token use', Content: Usage },
  { value: 'push', label: 'Push', Content: PushProviders },
];

export function IntegrationsPage() {
  const { application } = useParams({ from });
  const { tab = 'sign-in' } = useSearch({ from });
  const navigate = useNavigate({ from: '/apps/$application/integrations' });
  return (
    <Page
      title="Sign-in, mail and models"
      description="Other services that the application uses. Secrets are stored encrypted and never shown again."
    >
      <Tabs
        value={tab}
        onChange={(value) => void navigate({ search: { tab: value ?? undefined } })}
        keepMounted={false}
      >
        <Tabs.List mb="lg">
          {TABS.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {TABS.map(({ value, Content }) => (
          <Tabs.Panel key={value} value={value}>
            <Content key={application} application={application} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}
