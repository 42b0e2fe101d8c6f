import { t } from '@lingui/core/macro';
import { Tabs } from '@mantine/core';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Page } from '../../ui/page.tsx';
import { Assistants } from './assistants.tsx';
import { Mail } from './mail.tsx';
import { PushProviders } from './push-providers.tsx';
import { SignIn } from './sign-in-providers.tsx';
import { Usage } from './usage.tsx';

const from = '/shell/apps/$application/integrations';

const TABS = [
  { value: 'sign-in', label: t`Sign-in`, Content: SignIn },
  { value: 'mail', label: t`Mail`, Content: Mail },
  { value: 'models', label: t`Models`, Content: Assistants },
  { value: 'tokens', label: t`Token use`, Content: Usage },
  { value: 'push', label: t`Push`, Content: PushProviders },
];

export function IntegrationsPage() {
  const { application } = useParams({ from });
  const { tab = 'sign-in' } = useSearch({ from });
  const navigate = useNavigate({ from: '/apps/$application/integrations' });
  return (
    <Page
      title={t`Integrations`}
      description={t`Other services that the application uses. Secrets are stored encrypted and never shown again.`}
    >
      <Tabs
        value={TABS.some(({ value }) => value === tab) ? tab : TABS[0]!.value}
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
