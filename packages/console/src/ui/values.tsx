import { t } from '@lingui/core/macro';
import { ActionIcon, Code, CopyButton, Group, Text } from '@mantine/core';

const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** A time with its exact value as tooltip; a dash for null. */
export function Time({ of }: { of: string | number | null | undefined }) {
  if (of === null || of === undefined) return <span>–</span>;
  const time = new Date(typeof of === 'number' ? of * 1000 : of);
  return (
    <time dateTime={time.toISOString()} title={time.toISOString()}>
      {absolute.format(time)}
    </time>
  );
}

/** A value to copy, for example a secret that is shown only once. */
export function Copyable({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <Text size="sm" fw={600}>
        {label}
      </Text>
      <Group gap="xs" wrap="nowrap">
        <Code block flex={1} style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
          {value}
        </Code>
        <CopyButton value={value}>
          {({ copied, copy }) => (
            <ActionIcon variant="default" size="lg" onClick={copy} aria-label={t`Copy ${label}`}>
              <CopyIcon isDone={copied} />
            </ActionIcon>
          )}
        </CopyButton>
      </Group>
    </div>
  );
}

/** Drawn, because few fonts have such characters. */
function CopyIcon({ isDone }: { isDone: boolean }) {
  const path = isDone ? 'M4 12l5 5L20 6' : 'M9 9h11v11H9zM5 15H4V4h11v1';
  return (
    <svg
      width="18"
      height="18"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      aria-hidden="true"
    >
      <path d={path} />
    </svg>
  );
}
