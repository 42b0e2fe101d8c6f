import { Card, Code, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { mutate, query, type Target } from '../../app/clients.ts';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Loaded, Page } from '../../ui/page.tsx';
import { readUserId } from '../../ui/user-filter.tsx';
import { Time } from '../../ui/values.tsx';
import { channelName, DELETE_EVENT, EVENT, type EventDetails, UPDATE_EVENT } from './documents.ts';
import { decodeMessage } from './message.ts';
import { Schedule } from './schedule.tsx';
import { Sends } from './sends.tsx';

const from = '/shell/apps/$application/pushes/$event';

export function PushPage() {
  const { application, event } = useParams({ from });
  const { user } = useSearch({ from });
  const target: Target = { application, onBehalfOf: readUserId(user) };
  const id = Number(event);
  const found = useQuery({
    queryKey: [application, 'event', id, target.onBehalfOf],
    queryFn: ({ signal }) => query(target, EVENT, { id }, signal),
    refetchInterval: ({ state }) => (state.data?.eventStatus.active ? 3_000 : false),
  });
  return (
    <Page
      title={found.data?.event.name || `Push ${id}`}
      description={`Push ${id} of application ${application}`}
      actions={found.data && <Actions target={target} id={id} isActive={found.data.eventStatus.active} />}
    >
      <Loaded of={found}>
        {(loaded) => (
          <Stack gap="lg">
            <Facts of={loaded} application={application} />
            <Title order={2} size="h4">
              Sends
            </Title>
            <Sends target={target} eventId={id} isActive={loaded.eventStatus.active} />
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

function Facts({ of: { event, eventStatus }, application }: { of: EventDetails; application: number }) {
  const { userId, channel, environment, message, endDate, tagQuery } = event;
  const creator =
    userId === 0 ? (
      'Server or console'
    ) : (
      <Link to="/apps/$application/users/$user" params={{ application, user: String(userId) }}>
        User {userId}
      </Link>
    );
  const facts: Record<string, ReactNode> = {
    State: eventStatus.active ? 'Active' : 'Ended',
    Schedule: <Schedule {...event} />,
    'Not after': <Time of={endDate} />,
    Channel: channelName(channel),
    Environment: environment,
    'Created by': creator,
    'Latest send': <Time of={eventStatus.lastSentAt} />,
    Devices: eventStatus.recipients.toLocaleString(),
    Delivered: eventStatus.delivered.toLocaleString(),
    Failed: eventStatus.failed.toLocaleString(),
    ...(tagQuery !== null && { Tags: tagQuery }),
  };
  return (
    <Card withBorder>
      <Stack>
        <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }}>
          {Object.entries(facts).map(([name, value]) => (
            <div key={name}>
              <Text size="sm" c="dimmed">
                {name}
              </Text>
              <Text component="div" style={{ overflowWrap: 'anywhere' }}>
                {value}
              </Text>
            </div>
          ))}
        </SimpleGrid>
        <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {decodeMessage(message)}
        </Code>
      </Stack>
    </Card>
  );
}

function Actions({ target, id, isActive }: { target: Target; id: number; isActive: boolean }) {
  const { application } = target;
  const queries = useQueryClient();
  const navigate = useNavigate();
  const refresh = (name: string) => queries.invalidateQueries({ queryKey: [application, name] });
  const update = useMutation({
    mutationFn: (active: boolean) => mutate(target, UPDATE_EVENT, { id, active }),
    onSettled: () => Promise.all([refresh('event'), refresh('events'), refresh('sends')]),
  });
  const remove = useMutation({
    mutationFn: () => mutate(target, DELETE_EVENT, { id }),
    onSuccess: async () => {
      const search = target.onBehalfOf === undefined ? {} : { user: String(target.onBehalfOf) };
      await navigate({ to: '/apps/$application/pushes', params: { application: Number(application) }, search });
      await refresh('events');
      notifications.show({ message: 'Push deleted' });
    },
  });
  return (
    <Group gap="xs">
      {isActive ? (
        <ConfirmButton
          label="Stop"
          question="Pending deliveries are cancelled, and no further send starts."
          onConfirm={() => update.mutate(false)}
          isLoading={update.isPending}
        />
      ) : (
        <ConfirmButton
          label="Send again"
          question="The push is sent to its recipients again."
          onConfirm={() => update.mutate(true)}
          isLoading={update.isPending}
        />
      )}
      <ConfirmButton
        label="Delete push"
        question="The push and the outcome of its sends are deleted."
        onConfirm={() => remove.mutate()}
        isLoading={remove.isPending}
      />
    </Group>
  );
}
