import { graphql, type ResultOf } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Card, Group, Modal, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useInViewport } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type APPLICATIONS, applicationsQuery, ownsAll, useMe } from '../app/administrator.ts';
import { mutate, query, SERVICE } from '../app/clients.ts';
import { usePolling } from '../app/polling.ts';
import { bytesText } from '../ui/bytes.ts';
import { NameForm } from '../ui/form.tsx';
import { Empty, Loaded, Page } from '../ui/page.tsx';
import { useOpenInAddress } from '../ui/use-open-in-address.ts';
import { Copyable, Fact, Time } from '../ui/values.tsx';

const STATUS = graphql(`query ConsoleStatus {
  serviceStatus {
    version nodeVersion postgresVersion startedAt isDatabaseReadOnly databaseBytes fileBytes diskFreeBytes diskTotalBytes
    waitingPushJobs chat { streams rooms refusedSignIns failedStreams }
  }
}`);

const ACTIVITY = graphql(
  `query ConsoleActivity { applicationStats(hours: 24) { users usersOnline hours { messages } } }`,
);

type Application = ResultOf<typeof APPLICATIONS>['applications'][number];
type Activity = ResultOf<typeof ACTIVITY>['applicationStats'];

const CREATE = graphql(`mutation ConsoleCreateApplication($name: String!) {
  createApplication(name: $name) { applicationId authKey authSecret apiKey }
}`);

export function HomePage() {
  const applications = useQuery(applicationsQuery);
  const [isOpen, { open, close }] = useOpenInAddress('create');
  const mayCreate = ownsAll(useMe());
  return (
    <Page
      title={t`Applications`}
      description={t`Each application has its own users, dialogs, records and keys.`}
      actions={mayCreate && <Button onClick={open}>{t`Create application`}</Button>}
    >
      <Loaded of={applications}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty title={t`No application yet`}>{t`Create one to get its keys and send the first request.`}</Empty>
          ) : (
            <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
              {rows.map((row) => (
                <ApplicationCard key={row.id} application={row} />
              ))}
            </SimpleGrid>
          )
        }
      </Loaded>
      <Service />
      <Modal opened={isOpen} onClose={close} title={t`Create application`} closeOnClickOutside={false}>
        <CreateForm onClose={close} />
      </Modal>
    </Page>
  );
}

function ApplicationCard({ application: { id, name, createdAt } }: { application: Application }) {
  const { ref, inViewport } = useInViewport();
  const activity = useQuery({
    queryKey: [id, 'activity'],
    queryFn: async ({ signal }) => (await query({ application: id }, ACTIVITY, {}, signal)).applicationStats,
    refetchInterval: usePolling(30_000),
    enabled: inViewport,
  });
  return (
    <Card ref={ref} withBorder>
      <Link className="row-link" to="/apps/$application/overview" params={{ application: id }}>
        {name}
      </Link>
      <Text size="sm" c="dimmed">
        <Trans>
          Id {id}, created <Time of={createdAt} />
        </Trans>
      </Text>
      <Group gap="xl" mt="sm" mih={48}>
        {activity.data && (
          <>
            <Fact name={t`Users`}>{activity.data.users.toLocaleString()}</Fact>
            <Fact name={t`Online`}>{activity.data.usersOnline.toLocaleString()}</Fact>
            <Fact name={t`Messages, 24 h`}>{messagesOf(activity.data).toLocaleString()}</Fact>
          </>
        )}
      </Group>
    </Card>
  );
}

const messagesOf = ({ hours }: Activity) => hours.reduce((total, { messages }) => total + messages, 0);

function CreateForm({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient();
  const create = useMutation({
    mutationFn: async (name: string) => (await mutate(SERVICE, CREATE, { name })).createApplication,
    onSuccess: () => queries.invalidateQueries({ queryKey: applicationsQuery.queryKey }),
  });
  if (create.data) {
    const { applicationId, authKey, authSecret, apiKey } = create.data;
    return (
      <Stack>
        <Text size="sm">{t`Store the secrets now: the server shows them only once.`}</Text>
        <Copyable label={t`Application id`} value={String(applicationId)} />
        <Copyable label={t`Auth key`} value={authKey} />
        <Copyable label={t`Auth secret`} value={authSecret} />
        <Copyable label={t`API key`} value={apiKey} />
        <Button onClick={onClose}>{t`I have stored them`}</Button>
      </Stack>
    );
  }
  return <NameForm onCancel={onClose} onCreate={create.mutate} isPending={create.isPending} />;
}

function Service() {
  const status = useQuery({
    queryKey: ['status'],
    queryFn: async ({ signal }) => (await query(SERVICE, STATUS, {}, signal)).serviceStatus,
    refetchInterval: usePolling(30_000),
  });
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">{t`Service`}</Title>
      <Card withBorder>
        <Loaded of={status}>{(loaded) => <Facts status={loaded} />}</Loaded>
      </Card>
    </Stack>
  );
}

type Status = ResultOf<typeof STATUS>['serviceStatus'];

const LITTLE_SPACE = 0.1;

function Facts({ status }: { status: Status }) {
  const { version, nodeVersion, postgresVersion, startedAt, databaseBytes, fileBytes, waitingPushJobs, chat } = status;
  const { isDatabaseReadOnly, diskFreeBytes: free, diskTotalBytes: total } = status;
  const isLow = free !== null && total !== null && free < total * LITTLE_SPACE;
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }}>
      <Fact name={t`Version`}>{version}</Fact>
      <Fact name={t`Node.js`}>{nodeVersion}</Fact>
      <Fact name="PostgreSQL">{postgresVersion.split(' ')[0]!}</Fact>
      <Fact name={t`Started`}>
        <Time of={startedAt} />
      </Fact>
      <Fact name={t`Database`} isBad={isDatabaseReadOnly}>
        {isDatabaseReadOnly ? t`${bytesText(databaseBytes)}, read-only` : bytesText(databaseBytes)}
      </Fact>
      <Fact name={t`Files`}>{bytesText(fileBytes)}</Fact>
      <Fact name={t`Free disk`} isBad={isLow}>
        {free === null || total === null ? '–' : t`${bytesText(free)} of ${bytesText(total)}`}
      </Fact>
      <Fact name={t`Waiting push jobs`}>{waitingPushJobs.toLocaleString()}</Fact>
      {chat && (
        <>
          <Fact name={t`Legacy chat streams`}>{chat.streams.toLocaleString()}</Fact>
          <Fact name={t`Joined rooms`}>{chat.rooms.toLocaleString()}</Fact>
          <Fact name={t`Refused chat sign-ins`}>{chat.refusedSignIns.toLocaleString()}</Fact>
          <Fact name={t`Chat streams ended by errors`}>{chat.failedStreams.toLocaleString()}</Fact>
        </>
      )}
    </SimpleGrid>
  );
}
