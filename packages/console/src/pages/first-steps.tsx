import { graphql, type ResultOf } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Anchor, Card, CloseButton, Group, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { query } from '../app/clients.ts';
import { usePolling } from '../app/polling.ts';
import { root } from '../root.ts';
import { Copyable } from '../ui/values.tsx';

const STATE = graphql(`query ConsoleFirstSteps {
  users(first: 1) { edges { node { id } } }
  classes { name }
  apiKeys { revokedAt }
  applicationStats(hours: 720) { hours { messages } }
}`);

type State = ResultOf<typeof STATE>;

interface Step {
  title: string;
  /** Below the application. */
  path: string;
  isDone: (state: State) => boolean;
}

const STEPS: Step[] = [
  { title: t`Create a user`, path: 'users?create=1', isDone: ({ users }) => users.edges.length > 0 },
  {
    title: t`Create a class for the records of your app`,
    path: 'data?define=1',
    isDone: ({ classes }) => classes.length > 0,
  },
  {
    title: t`Create an API key for your server`,
    path: 'keys',
    isDone: ({ apiKeys }) => apiKeys.some(({ revokedAt }) => revokedAt === null),
  },
  {
    title: t`Send a first message`,
    path: 'explorer',
    isDone: ({ applicationStats: { hours } }) => hours.some(({ messages }) => messages > 0),
  },
];

const SAMPLE = [
  `curl '${root.href.replace(/\/$/, '')}/graphql' \\`,
  '  -H "Authorization: ApiKey $ATRIUM_API_KEY" -H "Content-Type: application/json" \\',
  `  -d '{"query":"{ application { id name } }"}'`,
].join('\n');

/** What a new application needs; steps are checked off by what exists. Disappears when all are done. */
export function FirstSteps({ application }: { application: number }) {
  const [isHidden, setHidden] = useLocalStorage({
    key: `atrium.console.first-steps.${application}`,
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  const { data } = useQuery({
    queryKey: [application, 'first-steps'],
    queryFn: ({ signal }) => query({ application }, STATE, {}, signal),
    enabled: !isHidden,
    refetchInterval: usePolling(15_000),
  });
  if (isHidden || !data || STEPS.every(({ isDone }) => isDone(data))) return null;
  return (
    <Card withBorder>
      <Group justify="space-between" wrap="nowrap">
        <Title order={2} size="h5">{t`First steps`}</Title>
        <CloseButton aria-label={t`Hide the first steps`} onClick={() => setHidden(true)} />
      </Group>
      <Stack gap="xs" component="ul" p={0} m={0} mb="md" style={{ listStyle: 'none' }}>
        {STEPS.map(({ title, path, isDone }) => (
          <Group key={path} component="li" gap="sm" wrap="nowrap">
            <ThemeIcon size="sm" radius="xl" variant={isDone(data) ? 'filled' : 'default'} color="green.8">
              {isDone(data) && <IconCheck size={12} aria-label={t`Done`} />}
            </ThemeIcon>
            {isDone(data) ? (
              <Text size="sm" c="dimmed">
                {title}
              </Text>
            ) : (
              <Anchor component={Link} to={`/apps/${application}/${path}`} size="sm">
                {title}
              </Anchor>
            )}
          </Group>
        ))}
      </Stack>
      <Copyable label={t`A first request`} value={SAMPLE} />
    </Card>
  );
}
