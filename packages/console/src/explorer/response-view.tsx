import { t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { Button, CopyButton, Group, Loader, Text } from '@mantine/core';
import { bytesText } from '../ui/bytes.ts';
import { Status } from '../ui/status.tsx';
import { CodeEditor } from './code-editor.tsx';
import type { Answer } from './requests.ts';
import type { Events } from './use-runs.ts';

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

interface ResponseViewProps {
  answer: Answer | undefined;
  /** Why there is no answer. */
  failure: string | undefined;
  isRunning: boolean;
}

export function ResponseView({ answer, failure, isRunning }: ResponseViewProps) {
  if (failure !== undefined) {
    return (
      <Text p="sm" c="var(--bad)" role="alert">
        {failure}
      </Text>
    );
  }
  if (!answer) {
    return isRunning ? (
      <Group p="sm">
        <Loader size="sm" role="status" aria-label={t`Loading`} />
      </Group>
    ) : (
      <Text p="sm" c="dimmed" size="sm">
        <Trans>Run an operation to see its response. Choose one in the list, or write your own.</Trans>
      </Text>
    );
  }
  const isGood = answer.status < 400 && answer.errors.length === 0;
  return (
    <>
      <Group gap="xs" px="sm" py={6} className="explorer-bar" role="status">
        <Status tone={isGood ? 'good' : 'bad'}>{answer.status}</Status>
        <Text size="xs" c="dimmed">
          {answer.milliseconds} ms · {bytesText(answer.bytes)}
          {answer.errors.length > 0 && (
            <>
              {' · '}
              <Plural value={answer.errors.length} one="# error" other="# errors" />
            </>
          )}
        </Text>
        <Copy text={answer.text} />
      </Group>
      <CodeEditor label={t`Response`} language="json" value={answer.text} />
    </>
  );
}

function Copy({ text }: { text: string }) {
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Button size="compact-xs" variant="default" ml="auto" onClick={copy}>
          {copied ? t`Copied` : t`Copy`}
        </Button>
      )}
    </CopyButton>
  );
}

/** The events of a subscription, the last one first. */
export function EventList({ events }: { events: Events }) {
  const { shown, waiting, state, failure } = events;
  const states = { connecting: t`Connecting`, listening: t`Listening`, paused: t`Paused`, ended: t`Ended` };
  return (
    <>
      <Group gap="xs" px="sm" py={6} className="explorer-bar">
        <Status tone={state === 'listening' ? 'good' : 'plain'} isLive>
          {states[state]}
        </Status>
        <Text size="xs" c="dimmed">
          <Plural value={shown.length} one="# event" other="# events" />
          {waiting.length > 0 && (
            <>
              {' · '}
              <Plural value={waiting.length} one="# more waits" other="# more wait" />
            </>
          )}
        </Text>
        <Group gap={6} ml="auto">
          {state === 'paused' ? (
            <Button size="compact-xs" onClick={events.resume}>{t`Resume`}</Button>
          ) : (
            state !== 'ended' && <Button size="compact-xs" variant="default" onClick={events.pause}>{t`Pause`}</Button>
          )}
          <Button size="compact-xs" variant="default" onClick={events.clear} disabled={shown.length === 0}>
            <Trans>Clear</Trans>
          </Button>
        </Group>
      </Group>
      {failure && (
        <Text p="sm" c="var(--bad)" role="alert">
          {failure}
        </Text>
      )}
      {shown.length === 0 && !failure && state !== 'ended' && (
        <Text p="sm" size="sm" c="dimmed">{t`Events appear here when they happen.`}</Text>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so that a keyboard must reach it */}
      <ol className="explorer-events" aria-label={t`Events`} tabIndex={0}>
        {shown.map(({ id, time, text }) => (
          <li key={id}>
            <time dateTime={new Date(time).toISOString()}>{clock.format(time)}</time>
            <pre>{text}</pre>
          </li>
        ))}
      </ol>
    </>
  );
}
