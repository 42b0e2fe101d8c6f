import { t } from '@lingui/core/macro';
import { ActionIcon, Code, CopyButton, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';

const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const minute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' });

const SECONDS = { minute: 60, hour: 3_600, day: 86_400 } as const;
const WEEK = 7 * SECONDS.day;

interface TimeProps {
  of: string | number | null | undefined;
  /** Whether to show date and time, for what is planned, and where its order or moment matters. */
  isExact?: boolean;
}

/** For example "5 min ago", with the exact time as tooltip; a date after a week; a dash for null. */
export function Time({ of, isExact = false }: TimeProps) {
  if (of === null || of === undefined) return <span>–</span>;
  const time = new Date(typeof of === 'number' ? of * 1000 : of);
  return (
    <time dateTime={time.toISOString()} title={exact.format(time)}>
      {isExact ? minute.format(time) : relativeTime(time)}
    </time>
  );
}

function relativeTime(time: Date): string {
  const seconds = (time.getTime() - Date.now()) / 1000;
  const distance = Math.abs(seconds);
  if (distance >= WEEK) return date.format(time);
  if (distance < SECONDS.minute) return relative.format(0, 'second');
  const unit = distance < SECONDS.hour ? 'minute' : distance < SECONDS.day ? 'hour' : 'day';
  return relative.format(Math.round(seconds / SECONDS[unit]), unit);
}

interface FactProps {
  name: string;
  isBad?: boolean;
  children: ReactNode;
}

/** A value below its name, in a `SimpleGrid`. */
export function Fact({ name, isBad = false, children }: FactProps) {
  return (
    <div>
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <Text
        component="div"
        fw={600}
        c={isBad ? 'var(--mantine-color-error)' : undefined}
        style={{ overflowWrap: 'anywhere' }}
      >
        {children}
      </Text>
    </div>
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
