import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';

/** What deserves attention. The title has the color of text, because a yellow one has too little contrast. */
export function Notice({ title, isGood = false, children }: { title: string; isGood?: boolean; children: ReactNode }) {
  return (
    <Alert
      color={isGood ? 'brand' : 'yellow'}
      title={title}
      styles={{ title: { color: 'var(--mantine-color-text)', fontSize: 'var(--mantine-font-size-md)' } }}
    >
      {children}
    </Alert>
  );
}
