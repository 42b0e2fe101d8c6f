import { graphql } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { mutate } from '../../app/clients.ts';
import { submitting, textProps } from '../../ui/form.tsx';
import type { Assistant } from './documents.ts';

const TRY = graphql(`mutation ConsoleTryAssistant($id: ID!, $message: String!) {
  tryAssistant(id: $id, message: $message) { answer problem tokens milliseconds }
}`);

export function TryAssistant({ application, assistant: { id, name } }: { application: number; assistant: Assistant }) {
  const [message, setMessage] = useState('');
  const trial = useMutation({
    mutationFn: async () => (await mutate({ application }, TRY, { id, message })).tryAssistant,
  });
  return (
    <form onSubmit={submitting(() => trial.mutate())}>
      <Stack gap="xs">
        <Group gap="xs" align="flex-end">
          <TextInput
            flex="1 1 14rem"
            label={t`Try it`}
            aria-label={t`Message to ${name}`}
            placeholder={t`How do I change my address?`}
            {...textProps(message, setMessage)}
            maxLength={2000}
            required
          />
          <Button type="submit" variant="default" loading={trial.isPending}>{t`Ask`}</Button>
        </Group>
        {trial.data && (
          <Alert color={trial.data.problem === null ? 'teal' : 'red'} role="status">
            <Text fw={600}>{trial.data.problem === null ? t`Answer` : t`The model did not answer`}</Text>
            <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
              {trial.data.answer ?? t`It ${trial.data.problem ?? ''}. Check base URL, model and API key.`}
            </Text>
            <Text size="xs" c="dimmed" mt="xs">
              <Trans>
                {trial.data.tokens.toLocaleString()} tokens, {(trial.data.milliseconds / 1000).toFixed(1)} s
              </Trans>
            </Text>
          </Alert>
        )}
      </Stack>
    </form>
  );
}
