import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Card, Code, SimpleGrid, Stack, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { mutate, query, type Target } from '../../app/clients.ts';
import { idOf } from '../../app/user-search.ts';
import { ConfirmButton, Deletion } from '../../ui/confirm-button.tsx';
import { Loaded, Page } from '../../ui/page.tsx';
import { Fact, Time } from '../../ui/values.tsx';
import { channelName, DELETE_EVENT, EVENT, type EventDetails, UPDATE_EVENT } from './documents.ts';
import { decodeMessage } from './message.ts';
import { Schedule } from './schedule.tsx';
import { Sends } from './sends.tsx';

const from = '/shell/apps/$application/pushes/$event';

export function PushPage() {
  const { application, event } = useParams({ from });
  const { user } = useSearch({ from });
  const target: Target = { application, onBehalfOf: idOf(user) };
  const id = Number(event);
  const found = useQuery({
    queryKey: [application, 'event', id, target.onBehalfOf],
    queryFn: ({ signal }) => query(target, EVENT, { id }, signal),
    refetchInterval: ({ state }) => (state.data?.eventStatus.active ? 3_000 : false),
  });
  return (
    <Page
      title={found.data?.event.name || t`Push ${id}`}
      description={t`Push ${id} of application ${application}`}
      actions={found.data && <Activity target={target} id={id} isActive={found.data.eventStatus.active} />}
      more={found.data && <DeletePush target={target} id={id} />}
    >
      <Loaded of={found}>
        {(loaded) => (
          <Stack gap="lg">
            <Facts of={loaded} application={application} />
            <Title order={2} size="h4">{t`Sends`}</Title>
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
      t`Server or console`
    ) : (
      <Link to="/apps/$application/users/$user" params={{ application, user: String(userId) }}>
        <Trans>User {userId}</Trans>
      </Link>
    );
  const facts: { name: string; value: ReactNode }[] = [
    { name: t`State`, value: eventStatus.active ? t`Active` : t`Ended` },
    { name: t`Schedule`, value: <Schedule {...event} /> },
    { name: t`Not after`, value: <Time isExact of={endDate} /> },
    { name: t`Channel`, value: channelName(channel) },
    { name: t`Environment`, value: environment },
    { name: t`Created by`, value: creator },
    { name: t`Latest send`, value: <Time isExact of={eventStatus.lastSentAt} /> },
    { name: t`Devices`, value: eventStatus.recipients.toLocaleString() },
    { name: t`Delivered`, value: eventStatus.delivered.toLocaleString() },
    { name: t`Failed`, value: eventStatus.failed.toLocaleString() },
    ...(tagQuery === null ? [] : [{ name: t`Tags`, value: tagQuery }]),
  ];
  return (
    <Card withBorder>
      <Stack>
        <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }}>
          {facts.map(({ name, value }) => (
            <Fact key={name} name={name}>
              {value}
            </Fact>
          ))}
        </SimpleGrid>
        <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {decodeMessage(message)}
        </Code>
      </Stack>
    </Card>
  );
}

interface ActionProps {
  target: Target;
  id: number;
}

function Activity({ target, id, isActive }: ActionProps & { isActive: boolean }) {
  const queries = useQueryClient();
  const refresh = (name: string) => queries.invalidateQueries({ queryKey: [target.application, name] });
  const update = useMutation({
    mutationFn: (active: boolean) => mutate(target, UPDATE_EVENT, { id, active }),
    onSettled: () => Promise.all([refresh('event'), refresh('events'), refresh('sends')]),
  });
  return isActive ? (
    <ConfirmButton
      label={t`Stop`}
      question={t`Pending deliveries are cancelled, and no further send starts.`}
      onConfirm={() => update.mutate(false)}
      isLoading={update.isPending}
    />
  ) : (
    <ConfirmButton
      label={t`Send again`}
      question={t`The push is sent to its recipients again.`}
      isHarmless
      onConfirm={() => update.mutate(true)}
      isLoading={update.isPending}
    />
  );
}

function DeletePush({ target, id }: ActionProps) {
  const { application, onBehalfOf } = target;
  const search = onBehalfOf === undefined ? {} : { user: String(onBehalfOf) };
  return (
    <Deletion
      label={t`Delete push`}
      question={t`The push and the outcome of its sends are deleted.`}
      remove={() => mutate(target, DELETE_EVENT, { id })}
      list={{ to: '/apps/$application/pushes', params: { application: Number(application) }, search }}
      listKey={[application, 'events']}
      done={t`Push deleted`}
    />
  );
}
