import { Trans } from '@lingui/react/macro';
import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';

const SHOWN_MS = 10_000;

let latest: (() => void) | undefined;

/** Reports what was done, and offers to undo it, also with Ctrl Z. */
export function showUndo(message: string, undo: () => void): void {
  const run = () => {
    if (latest === run) latest = undefined;
    notifications.hide(id);
    undo();
  };
  const id = notifications.show({
    autoClose: SHOWN_MS,
    onClose: () => {
      if (latest === run) latest = undefined;
    },
    message: (
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {message}
        </Text>
        <Button size="compact-xs" variant="default" onClick={run} aria-keyshortcuts="Control+Z Meta+Z" flex="none">
          <Trans>Undo</Trans>
        </Button>
      </Group>
    ),
  });
  latest = run;
}

export function undoLatest(): void {
  latest?.();
}
