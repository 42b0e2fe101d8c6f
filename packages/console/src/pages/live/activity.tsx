import { graphql } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { askForReason, reason } from '../../app/access.ts';
import { hasRole, useMe } from '../../app/administrator.ts';
import { query } from '../../app/clients.ts';
import { usePolling } from '../../app/polling.ts';
import { nameOf } from '../../app/user-names.ts';
import { Time } from '../../ui/values.tsx';
import { UserPicture } from '../files/user-picture.tsx';
import { useClasses } from '../records/use-class.ts';
import type { LiveEvent } from './documents.ts';
import { EventItem } from './event-item.tsx';
import { subscribe } from './source.ts';

const PEOPLE = graphql(`query ConsoleActiveUsers {
  users(filter: { lastRequestAt: { gte: "1970-01-01T00:00:00Z" } }, orderBy: { field: LAST_REQUEST_AT, direction: DESC }, first: 5) {
    edges { node { id login fullName email blobId lastRequestAt } }
  }
}`);

const SHOWN = 5;
/** Each has a subscription. */
const MAX_CLASSES = 20;

/** The latest events of the application, as far as the administrator may see them, and who was active. */
export function Activity({ application }: { application: number }) {
  const me = useMe();
  const mayReadRecords = hasRole(me, ['DEVELOPER'], application);
  const mayReadDialogs = hasRole(me, ['SUPPORT'], application);
  // Without a reason, messages are not requested.
  const hasReason = useSyncExternalStore(reason.subscribe, () => reason.current !== undefined);
  const classes = useClasses(application).data ?? [];
  const names = mayReadRecords ? classes.slice(0, MAX_CLASSES).map(({ name }) => name) : [];
  const events = useLatest(application, names, mayReadDialogs && hasReason);
  if (!mayReadRecords && !mayReadDialogs) return null;
  return (
    <Card withBorder>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h5">{t`Live activity`}</Title>
        <Anchor component={Link} to={`/apps/${application}/live`} size="sm">{t`All events`}</Anchor>
      </Group>
      <div className="activity">
        <Stack gap="xs">
          {events.length === 0 && (
            <Text size="sm" c="dimmed">
              <Trans>Messages, reactions and changes of records appear here as they happen.</Trans>
            </Text>
          )}
          {mayReadDialogs && !hasReason && (
            <Group gap="xs">
              <Text size="sm" c="dimmed">{t`Messages are private, and need a reason.`}</Text>
              <Button size="compact-sm" variant="default" onClick={() => void askForReason().catch(() => {})}>
                <Trans>State a reason</Trans>
              </Button>
            </Group>
          )}
          {events.length > 0 && (
            <Stack gap="xs" component="ol" p={0} m={0} style={{ listStyle: 'none' }} aria-label={t`Latest events`}>
              {events.map((event) => (
                <EventItem key={event.cursor} event={event} application={application} />
              ))}
            </Stack>
          )}
        </Stack>
        <ActiveUsers application={application} />
      </div>
    </Card>
  );
}

/** Newest first, from now on. @param names of classes whose records are followed */
function useLatest(application: number, names: readonly string[], hasDialogs: boolean): LiveEvent[] {
  const [events, setEvents] = useState<LiveEvent[]>([]);
  const classNames = names.join();
  useEffect(() => {
    const aborted = new AbortController();
    const classes = classNames === '' ? [] : classNames.split(',');
    for (const className of hasDialogs ? [undefined, ...classes] : classes) {
      subscribe(
        { target: { application }, dialogId: undefined, className },
        {
          signal: aborted.signal,
          next: (event) => setEvents((old) => [event, ...old].slice(0, SHOWN)),
          onGap: () => {},
          end: () => {},
        },
      );
    }
    return () => aborted.abort();
  }, [application, classNames, hasDialogs]);
  return events;
}

function ActiveUsers({ application }: { application: number }) {
  const { data: people = [] } = useQuery({
    queryKey: [application, 'active-users'],
    queryFn: async ({ signal }) =>
      (await query({ application }, PEOPLE, {}, signal)).users.edges.map(({ node }) => node),
    refetchInterval: usePolling(15_000),
  });
  return (
    <div>
      <Text size="sm" c="dimmed" mb="xs">
        {people.length === 0 ? t`No user has signed in yet.` : t`Signed in, latest activity first`}
      </Text>
      <Stack gap="xs">
        {people.map((user) => (
          <Group key={user.id} gap="xs" wrap="nowrap">
            <UserPicture application={application} user={user} />
            <Link
              className="row-link"
              to="/apps/$application/users/$user"
              params={{ application, user: String(user.id) }}
            >
              {nameOf(user)}
            </Link>
            <Text size="sm" c="dimmed" ml="auto" component="span">
              <Time of={user.lastRequestAt} />
            </Text>
          </Group>
        ))}
      </Stack>
    </div>
  );
}
