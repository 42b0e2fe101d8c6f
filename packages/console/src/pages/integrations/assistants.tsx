import { graphql } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Card, Group, Modal, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { mutate, query } from '../../app/clients.ts';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Empty, Loaded } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { AssistantForm } from './assistant-form.tsx';
import { ASSISTANTS, type Assistant } from './documents.ts';
import { TryAssistant } from './try-assistant.tsx';

const DELETE = graphql(`mutation ConsoleDeleteAssistant($id: ID!) { deleteAssistant(id: $id) }`);

export function Assistants({ application }: { application: number }) {
  const [edited, setEdited] = useState<Assistant | 'new'>();
  const queries = useQueryClient();
  const queryKey = [application, 'assistants'];
  const assistants = useQuery({
    queryKey,
    queryFn: async ({ signal }) => (await query({ application }, ASSISTANTS, {}, signal)).assistants,
  });
  const refresh = () => queries.invalidateQueries({ queryKey });
  const remove = useMutation({
    mutationFn: (id: string) => mutate({ application }, DELETE, { id }),
    onSettled: refresh,
  });
  const create = <Button onClick={() => setEdited('new')}>{t`Create assistant`}</Button>;
  return (
    <Loaded of={assistants}>
      {(loaded) => (
        <Stack>
          {loaded.length === 0 ? (
            <Empty title={t`No assistants yet`}>
              <Stack align="center">
                <Trans>
                  An assistant is a language model with instructions. It answers, summarizes and translates for users.
                  {create}
                </Trans>
              </Stack>
            </Empty>
          ) : (
            <Group>{create}</Group>
          )}
          {loaded.map((assistant) => (
            <Card withBorder key={assistant.id}>
              <Stack gap="sm">
                <Group justify="space-between" align="flex-start">
                  <div style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
                    <Title order={2} size="h5">
                      {assistant.name}
                    </Title>
                    <Text size="sm" c="dimmed">
                      <Trans>
                        {assistant.model} at {assistant.baseUrl}
                      </Trans>
                    </Text>
                    <Text size="sm" c="dimmed">
                      <Trans>Id {assistant.id}</Trans>
                    </Text>
                  </div>
                  <Group gap="xs">
                    {!assistant.hasApiKey && <Status>{t`No API key`}</Status>}
                    <Button
                      size="xs"
                      variant="default"
                      onClick={() => setEdited(assistant)}
                      aria-label={t`Edit ${assistant.name}`}
                    >
                      <Trans>Edit</Trans>
                    </Button>
                    <ConfirmButton
                      label={t`Delete`}
                      question={t`Delete “${assistant.name}”? Apps that use its id receive an error.`}
                      onConfirm={() => remove.mutate(assistant.id)}
                    />
                  </Group>
                </Group>
                <TryAssistant application={application} assistant={assistant} />
              </Stack>
            </Card>
          ))}
          <Modal
            opened={edited !== undefined}
            onClose={() => setEdited(undefined)}
            title={edited === 'new' ? t`Create assistant` : t`Edit assistant`}
            closeOnClickOutside={false}
          >
            {edited && (
              <AssistantForm
                application={application}
                stored={edited === 'new' ? undefined : edited}
                onCancel={() => setEdited(undefined)}
                onSaved={() => {
                  setEdited(undefined);
                  void refresh();
                }}
              />
            )}
          </Modal>
        </Stack>
      )}
    </Loaded>
  );
}
