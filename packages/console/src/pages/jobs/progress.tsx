import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Group, Progress, Stack, Text } from '@mantine/core';
import { Status } from '../../ui/status.tsx';
import type { ListedJob } from './documents.ts';
import { DIFFERENT, hasOpenDifferences, percentOf, STATES } from './text.ts';

export function StateBadge({
  state,
  cancelRequestedAt,
  check,
}: Pick<ListedJob, 'state' | 'cancelRequestedAt' | 'check'>) {
  const { name, tone } = check && hasOpenDifferences(check.checks) ? DIFFERENT : STATES[state];
  const isCanceling = state === 'RUNNING' && cancelRequestedAt !== null;
  return <Status tone={tone}>{isCanceling ? t`Canceling` : name}</Status>;
}

export function JobProgress({ label, state, progress }: Pick<ListedJob, 'state' | 'progress'> & { label: string }) {
  const percent = percentOf(progress);
  const { done, total, step } = progress;
  const isCounted = state === 'RUNNING' && percent !== undefined;
  const text = state === 'QUEUED' ? t`Waits until fewer jobs run` : (step ?? t`Starting`);
  return (
    <Stack gap={6}>
      <Progress.Root size="lg">
        <Progress.Section
          value={isCounted ? Math.max(percent, 2) : 100}
          striped={!isCounted}
          animated={!isCounted && state === 'RUNNING'}
          color={isCounted ? undefined : 'gray.5'}
          aria-label={t`Progress of ${label}`}
          aria-valuenow={percent ?? 0}
        />
      </Progress.Root>
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed">
          {text}
        </Text>
        {isCounted && (
          <Text size="sm" style={{ fontVariantNumeric: 'tabular-nums' }}>
            <Trans>
              {done.toLocaleString()} of {total!.toLocaleString()} · {percent} %
            </Trans>
          </Text>
        )}
      </Group>
    </Stack>
  );
}
