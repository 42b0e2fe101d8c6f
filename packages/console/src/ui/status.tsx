import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';

/** `good`: done, delivered, live; `warn`: slow, in progress; `bad`: failed; `plain`: tags and everything else. */
export type Tone = 'good' | 'warn' | 'bad' | 'plain';

interface StatusProps {
  tone?: Tone;
  /** Whether a screen reader says changes. */
  isLive?: boolean;
  children: ReactNode;
}

/** A word about something, in the color of what it means. The word says what the color does. */
export function Status({ tone = 'plain', isLive = false, children }: StatusProps) {
  return (
    <Badge className={`status status-${tone}`} variant="light" tt="none" role={isLive ? 'status' : undefined}>
      {children}
    </Badge>
  );
}
