import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { NumberInput, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { mutate } from '../../app/clients.ts';
import { Form } from '../../ui/form.tsx';
import { ROTATE } from './documents.ts';
import { Secret } from './form.tsx';

const MAX_HOURS = 720;

/** Replaces the secret of a key. */
export function RotateForm({ application, id, onClose }: { application: number; id: number; onClose: () => void }) {
  const [overlapHours, setHours] = useState(24);
  const queries = useQueryClient();
  const rotate = useMutation({
    mutationFn: async () => (await mutate({ application }, ROTATE, { id, overlapHours })).rotateApiKey.key,
    onSuccess: () => queries.invalidateQueries({ queryKey: [application, 'keys'] }),
  });
  if (rotate.data) return <Secret value={rotate.data} onClose={onClose} />;
  return (
    <Form onSubmit={() => rotate.mutate()} action={t`Rotate`} isPending={rotate.isPending} onCancel={onClose}>
      <Text size="sm">
        <Trans>The key gets a new secret and keeps its limits. Open connections are closed and connect again.</Trans>
      </Text>
      <NumberInput
        label={t`Overlap in hours`}
        description={t`How long the previous secret remains valid; 0: it ends at once`}
        value={overlapHours}
        onChange={(hours) => setHours(Number(hours))}
        min={0}
        max={MAX_HOURS}
        allowDecimal={false}
        required
        data-autofocus
      />
    </Form>
  );
}
