import { t } from '@lingui/core/macro';
import { Group, Text } from '@mantine/core';

/** @param isShort without the word on phones */
export function Logo({ isShort = false }: { isShort?: boolean }) {
  return (
    <Group gap="xs" wrap="nowrap">
      <svg width="28" height="28" viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="7" fill="#1f5fbf" />
        <path d="M7 26V15a9 9 0 0 1 18 0v11h-5V15a4 4 0 0 0-8 0v11z" fill="#fff" />
      </svg>
      <Text fw={700} size="lg" className={isShort ? 'not-on-phones' : undefined}>{t`Atrium`}</Text>
    </Group>
  );
}
