import { graphql } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Modal, Stack, Table, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { mutate, query } from '../app/clients.ts';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { NameForm } from '../ui/form.tsx';
import { Loaded, Page } from '../ui/page.tsx';
import { Status } from '../ui/status.tsx';
import { useOpenInAddress } from '../ui/use-open-in-address.ts';
import { Copyable, Time } from '../ui/values.tsx';

const KEYS = graphql(`query ConsoleKeys { apiKeys { id name createdAt revokedAt } }`);
const CREATE = graphql(`mutation ConsoleCreateKey($name: String!) { createApiKey(name: $name) { id key } }`);
const REVOKE = graphql(`mutation ConsoleRevokeKey($id: Int!) { revokeApiKey(id: $id) { id } }`);

const from = '/shell/apps/$application/keys';

export function KeysPage() {
  const { application } = useParams({ from });
  const [isOpen, { open, close }] = useOpenInAddress('create');
  const queries = useQueryClient();
  const queryKey = [application, 'keys'];
  const keys = useQuery({
    queryKey,
    queryFn: async ({ signal }) => (await query({ application }, KEYS, {}, signal)).apiKeys,
  });
  const revoke = useMutation({
    mutationFn: (id: number) => mutate({ application }, REVOKE, { id }),
    onSettled: () => queries.invalidateQueries({ queryKey }),
  });
  return (
    <Page
      title={t`API keys`}
      description={t`A key has all rights in the application. Keep it on your servers, never in an app or a page.`}
      actions={
        <Button onClick={open}>
          <Trans>Create API key</Trans>
        </Button>
      }
    >
      <Loaded of={keys}>
        {(rows) => (
          <Table verticalSpacing="sm" className="stacked">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>
                  <Trans>Name</Trans>
                </Table.Th>
                <Table.Th>
                  <Trans>Id</Trans>
                </Table.Th>
                <Table.Th>
                  <Trans>Created</Trans>
                </Table.Th>
                <Table.Th>
                  <Trans>State</Trans>
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.toReversed().map(({ id, name, createdAt, revokedAt }) => (
                <Table.Tr key={id}>
                  <Table.Td>{name}</Table.Td>
                  <Table.Td data-label={t`Id`}>{id}</Table.Td>
                  <Table.Td data-label={t`Created`}>
                    <Time of={createdAt} />
                  </Table.Td>
                  <Table.Td>
                    {revokedAt ? (
                      <Status>
                        <Trans>Revoked</Trans>
                      </Status>
                    ) : (
                      <ConfirmButton
                        label={t`Revoke`}
                        question={t`Revoke the API key “${name}”? Servers that use it lose access at once.`}
                        onConfirm={() => revoke.mutate(id)}
                      />
                    )}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
      </Loaded>
      <Modal opened={isOpen} onClose={close} title={t`Create API key`} closeOnClickOutside={false}>
        <CreateForm application={application} onClose={close} />
      </Modal>
    </Page>
  );
}

function CreateForm({ application, onClose }: { application: number; onClose: () => void }) {
  const queries = useQueryClient();
  const create = useMutation({
    mutationFn: async (name: string) => (await mutate({ application }, CREATE, { name })).createApiKey,
    onSuccess: () => queries.invalidateQueries({ queryKey: [application, 'keys'] }),
  });
  if (create.data) {
    return (
      <Stack>
        <Text size="sm">
          <Trans>Store the key now: the server keeps only a hash and cannot show it again.</Trans>
        </Text>
        <Copyable label={t`API key`} value={create.data.key} />
        <Button onClick={onClose}>
          <Trans>I have stored it</Trans>
        </Button>
      </Stack>
    );
  }
  return (
    <NameForm
      placeholder={t`For example the server that will use it`}
      onCancel={onClose}
      onCreate={create.mutate}
      isPending={create.isPending}
    />
  );
}
