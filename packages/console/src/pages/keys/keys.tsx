import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Modal, Table, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { mutate, query } from '../../app/clients.ts';
import { usePolling } from '../../app/polling.ts';
import { useUserNames } from '../../app/user-names.ts';
import { root } from '../../root.ts';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Heads } from '../../ui/heads.tsx';
import { Loaded, Page } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { useOpenInAddress } from '../../ui/use-open-in-address.ts';
import { Time } from '../../ui/values.tsx';
import { type ApiKey, KEYS, REVOKE } from './documents.ts';
import { KeyForm } from './form.tsx';
import { RotateForm } from './rotate.tsx';
import { EVERYTHING } from './scopes.tsx';

const from = '/shell/apps/$application/keys';

export function KeysPage() {
  const { application } = useParams({ from });
  const { key: edited } = useSearch({ from });
  const navigate = useNavigate({ from: '/apps/$application/keys' });
  const edit = (key: number | undefined) =>
    void navigate({ search: key === undefined ? {} : { key: String(key) }, replace: true });
  const [isOpen, { open, close }] = useOpenInAddress('create');
  const [rotated, setRotated] = useState<ApiKey>();
  const keys = useQuery({
    queryKey: [application, 'keys'],
    queryFn: async ({ signal }) => (await query({ application }, KEYS, {}, signal)).apiKeys,
    refetchInterval: usePolling(15_000),
  });
  const stored = keys.data?.find(({ id, revokedAt }) => String(id) === edited && revokedAt === null);
  return (
    <Page
      title={t`API keys`}
      description={t`Keep keys on your servers, never in an app or a page.`}
      actions={
        <>
          <Button component="a" variant="default" href={new URL('guides/restricted-keys', root).pathname}>
            <Trans>Guide</Trans>
          </Button>
          <Button onClick={open}>{t`Create API key`}</Button>
        </>
      }
    >
      <Loaded of={keys}>
        {(rows) => <Keys application={application} rows={rows} onEdit={edit} onRotate={setRotated} />}
      </Loaded>
      <Modal opened={isOpen} onClose={close} title={t`Create API key`} size="xl" closeOnClickOutside={false}>
        <KeyForm application={application} onClose={close} />
      </Modal>
      <Modal opened={!!stored} onClose={() => edit(undefined)} title={t`Edit API key`} size="xl">
        {stored && <KeyForm application={application} stored={stored} onClose={() => edit(undefined)} />}
      </Modal>
      <Modal
        opened={!!rotated}
        onClose={() => setRotated(undefined)}
        title={t`Rotate “${rotated?.name ?? ''}”`}
        closeOnClickOutside={false}
      >
        {rotated && <RotateForm application={application} id={rotated.id} onClose={() => setRotated(undefined)} />}
      </Modal>
    </Page>
  );
}

interface KeysProps {
  application: number;
  rows: readonly ApiKey[];
  onEdit: (id: number) => void;
  onRotate: (key: ApiKey) => void;
}

/** Valid keys first, then the newest. */
function Keys({ application, rows, onEdit, onRotate }: KeysProps) {
  const nameOfUser = useUserNames(
    application,
    rows.flatMap(({ onBehalfOf }) => onBehalfOf ?? []),
  );
  const queries = useQueryClient();
  const revoke = useMutation({
    mutationFn: (id: number) => mutate({ application }, REVOKE, { id }),
    onSettled: () => queries.invalidateQueries({ queryKey: [application, 'keys'] }),
  });
  const sorted = rows.toReversed().sort((a, b) => Number(a.revokedAt !== null) - Number(b.revokedAt !== null));
  const heads = [t`Name`, t`May`, t`Limits`, t`Last used`, t`Expires`];
  return (
    <Table verticalSpacing="sm" className="stacked">
      <Heads of={heads} hasActions />
      <Table.Tbody>
        {sorted.map((key) => (
          <Table.Tr key={key.id} className={key.revokedAt ? 'soft' : undefined}>
            <Table.Td>
              <Text fw={600}>{key.name}</Text>
              <Text size="xs" c="dimmed">
                <Trans>
                  Id {key.id}, created <Time of={key.createdAt} />
                </Trans>
              </Text>
            </Table.Td>
            <Table.Td>
              <Scopes of={key.scopes} />
            </Table.Td>
            <Table.Td>
              <Limits of={key} nameOfUser={nameOfUser} />
            </Table.Td>
            <Table.Td data-label={t`Last used`} className="unbroken">
              <Time of={key.lastUsedAt} />
            </Table.Td>
            <Table.Td data-label={t`Expires`} className="unbroken">
              <Expiry of={key} />
            </Table.Td>
            <Table.Td>
              {key.revokedAt ? (
                <Status>{t`Revoked`}</Status>
              ) : (
                <Group gap="xs" justify="flex-end" wrap="nowrap">
                  <Button size="xs" variant="default" onClick={() => onEdit(key.id)}>{t`Edit`}</Button>
                  <Button size="xs" variant="default" onClick={() => onRotate(key)}>{t`Rotate`}</Button>
                  <ConfirmButton
                    label={t`Revoke`}
                    question={t`Revoke the API key “${key.name}”? Servers that use it lose access at once.`}
                    onConfirm={() => revoke.mutate(key.id)}
                  />
                </Group>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Scopes({ of: scopes }: { of: readonly string[] }) {
  return (
    <Group gap={4}>
      {scopes.map((scope) => (
        <Status key={scope} tone={scope === EVERYTHING ? 'warn' : 'plain'}>
          {scope === EVERYTHING ? t`Everything` : scope}
        </Status>
      ))}
    </Group>
  );
}

function Limits({ of: key, nameOfUser }: { of: ApiKey; nameOfUser: (id: number) => string }) {
  const { onBehalfOf, onBehalfOfRoles, networks } = key;
  const users = (onBehalfOf ?? []).slice(0, 3).map(nameOfUser);
  const more = (onBehalfOf ?? []).length - users.length;
  const who = [
    ...users,
    ...(more > 0 ? [plural(more, { one: '# more user', other: '# more users' })] : []),
    ...onBehalfOfRoles.map((role) => t`role ${role}`),
  ];
  const forWhom = who.length > 0 ? t`For ${who.join(', ')}` : t`For no user`;
  const lines = [
    ...(onBehalfOf === null ? [] : [forWhom]),
    ...(networks.length > 0 ? [t`From ${networks.join(', ')}`] : []),
  ];
  if (lines.length === 0) return <Text size="sm" c="dimmed">{t`All users, from anywhere`}</Text>;
  return lines.map((line) => (
    <Text key={line} size="sm">
      {line}
    </Text>
  ));
}

function Expiry({ of: { expiresAt, previousExpiresAt, revokedAt } }: { of: ApiKey }) {
  const isPast = expiresAt !== null && new Date(expiresAt) <= new Date();
  return (
    <>
      {isPast && !revokedAt && <Status tone="bad">{t`Expired`}</Status>}
      {expiresAt === null ? <Trans>Never</Trans> : <Time of={expiresAt} />}
      {previousExpiresAt !== null && new Date(previousExpiresAt) > new Date() && (
        <Text size="xs" c="dimmed">
          <Trans>
            previous secret <Time of={previousExpiresAt} />
          </Trans>
        </Text>
      )}
    </>
  );
}
