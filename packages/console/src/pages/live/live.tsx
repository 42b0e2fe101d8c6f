import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { hasRole, useMe } from '../../app/administrator.ts';
import { Problem } from '../../ui/form.tsx';
import { Empty, Page } from '../../ui/page.tsx';
import { Status, type Tone } from '../../ui/status.tsx';
import { EventItem } from './event-item.tsx';
import { Filters, readDialogId } from './filters.tsx';
import type { Source } from './source.ts';
import { type LiveState, useLiveEvents } from './use-live-events.ts';

const from = '/shell/apps/$application/live';

export function LivePage() {
  const { application } = useParams({ from });
  const search = useSearch({ from });
  const navigate = useNavigate({ from: '/apps/$application/live' });
  const hasRecords = hasRole(useMe(), ['DEVELOPER'], application);
  const dialogId = readDialogId(search.dialog);
  const className = hasRecords ? search.class : undefined;
  return (
    <Page title={t`Live`} description={t`Events as they happen. Newest first.`}>
      <Filters
        key={application}
        application={application}
        search={search}
        hasRecords={hasRecords}
        onChange={(change) => void navigate({ search: (old) => ({ ...old, ...change }), replace: true })}
      />
      <Stream
        key={JSON.stringify([application, dialogId, className])}
        application={application}
        dialogId={dialogId}
        className={className}
        kinds={search.kinds?.split(',')}
      />
    </Page>
  );
}

const STATES: Record<LiveState, { name: string; tone: Tone }> = {
  connecting: { name: t`Connecting`, tone: 'plain' },
  live: { name: t`Live`, tone: 'good' },
  paused: { name: t`Paused`, tone: 'plain' },
  stopped: { name: t`Stopped`, tone: 'bad' },
};

interface StreamProps {
  application: number;
  dialogId: string | undefined;
  className: string | undefined;
  /** Only these are shown. */
  kinds: string[] | undefined;
}

function Stream({ application, dialogId, className, kinds }: StreamProps) {
  const source = useMemo<Source>(
    () => ({ target: { application }, dialogId, className }),
    [application, dialogId, className],
  );
  const { events, state, problem, pause, resume, clear } = useLiveEvents(source);
  const isOn = state === 'live' || state === 'connecting';
  useHotkeys([['p', () => (isOn ? pause() : resume())]]);
  const shown = kinds ? events.filter(({ kind }) => kinds.includes(kind)) : events;
  const { name, tone } = STATES[state];
  return (
    <Stack>
      <Group justify="space-between">
        <Group gap="sm">
          <Status tone={tone} isLive>
            {name}
          </Status>
          <Text size="sm" c="dimmed">
            {shown.length === events.length
              ? plural(events.length, { one: '# event', other: '# events' })
              : t`${shown.length} of ${plural(events.length, { one: '# event', other: '# events' })}`}
          </Text>
        </Group>
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={clear} disabled={events.length === 0}>{t`Clear`}</Button>
          <Button size="xs" variant="default" onClick={isOn ? pause : resume} aria-keyshortcuts="p">
            {isOn ? t`Pause` : t`Resume`}
          </Button>
        </Group>
      </Group>
      <Problem of={problem} />
      {shown.length === 0 ? (
        <Empty title={state === 'live' ? t`Waiting for events` : t`No events`}>
          {className === undefined ? (
            <Trans>
              A message that is sent, edited, read or deleted appears here at once, and so does a reaction. Try it: send
              one in your app, or with sendMessage in GraphQL.
            </Trans>
          ) : (
            <Trans>
              A record of {className} that is created, changed or deleted appears here at once. Try it: change one in
              Data.
            </Trans>
          )}{' '}
          <Trans>After a pause, Resume delivers what was missed.</Trans>
        </Empty>
      ) : (
        <Stack gap="xs" component="ol" p={0} m={0} style={{ listStyle: 'none' }} aria-label={t`Events`}>
          {shown.map((event) => (
            <EventItem key={event.cursor} event={event} application={application} />
          ))}
        </Stack>
      )}
    </Stack>
  );
}
