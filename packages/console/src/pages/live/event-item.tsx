import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Card, Code, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { memo, useState } from 'react';
import { Status } from '../../ui/status.tsx';
import { KINDS, type LiveEvent } from './documents.ts';

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

/** One event; its details open on demand. Does not render again when others arrive. */
export const EventItem = memo(({ event, application }: { event: LiveEvent; application: number }) => {
  const { kind, receivedAt, dialogId, details } = event;
  const [isOpen, setOpen] = useState(false);
  return (
    <Card component="li" withBorder padding="xs">
      <Group gap="sm" justify="space-between">
        <Group gap="sm">
          <Status>{KINDS[kind]}</Status>
          {dialogId !== undefined && (
            <Link
              to="/apps/$application/dialogs/$dialog"
              params={{ application, dialog: dialogId }}
              className="row-link"
            >
              <Trans>Dialog …{dialogId.slice(-8)}</Trans>
            </Link>
          )}
        </Group>
        <Text size="sm" c="dimmed" component="span">
          <time dateTime={receivedAt} title={receivedAt}>
            {clock.format(new Date(receivedAt))}
          </time>
        </Text>
      </Group>
      <details onToggle={(toggled) => setOpen(toggled.currentTarget.open)}>
        <Text component="summary" size="sm" style={{ cursor: 'pointer', overflowWrap: 'anywhere' }} mt={4}>
          {summaryOf(details)}
        </Text>
        {isOpen && (
          <Code block mt="xs" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {JSON.stringify(details, null, 2)}
          </Code>
        )}
      </details>
    </Card>
  );
});

const MAX_SUMMARY = 160;

/** The message of the event if there is one, otherwise the beginning of its details. */
function summaryOf(details: object): string {
  const { message } = details as { message?: { senderId: number; text: string | null } };
  const text = message ? t`User ${message.senderId}: ${message.text ?? t`no text`}` : pairsOf(details);
  return text.length > MAX_SUMMARY ? `${text.slice(0, MAX_SUMMARY)}…` : text;
}

function pairsOf(details: object): string {
  const set = Object.entries(details).filter(([, value]) => value !== null);
  return set.map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`).join(', ');
}
