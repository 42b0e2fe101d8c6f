import { graphql, type ResultOf } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Button, Card, Group, Modal, Stack, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { administratorQuery } from '../app/administrator.ts';
import { mutate, query, SERVICE } from '../app/clients.ts';
import { createPasskey, passkeyObstacle, passkeySentence } from '../app/passkeys.ts';
import { sentenceOf } from '../app/query-client.ts';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { NameForm } from '../ui/form.tsx';
import { Loaded } from '../ui/page.tsx';
import { Status } from '../ui/status.tsx';
import { Time } from '../ui/values.tsx';

const LIST = graphql(`query ConsolePasskeys { passkeys { id name host isBackedUp createdAt lastUsedAt } }`);
const RENAME = graphql(`mutation ConsoleRenamePasskey($id: Int!, $name: String!) {
  updatePasskey(id: $id, name: $name) { id }
}`);
const DELETE = graphql(`mutation ConsoleDeletePasskey($id: Int!) { deletePasskey(id: $id) }`);

type Passkey = ResultOf<typeof LIST>['passkeys'][number];

const queryKey = ['passkeys'];

export function Passkeys() {
  const [isAdding, setAdding] = useState(false);
  const [renamed, setRenamed] = useState<Passkey>();
  const refresh = useRefresh();
  const passkeys = useQuery({
    queryKey,
    queryFn: async ({ signal }) => (await query(SERVICE, LIST, {}, signal)).passkeys,
  });
  const rename = useMutation({
    mutationFn: (variables: { id: number; name: string }) => mutate(SERVICE, RENAME, variables),
    onSuccess: async () => {
      await refresh();
      setRenamed(undefined);
    },
  });
  return (
    <Card withBorder>
      <Stack align="flex-start">
        <Title order={2} size="h4">{t`Passkeys`}</Title>
        <Text>
          <Trans>
            Sign in with your fingerprint, face, PIN or security key instead of password and code. A passkey works only
            at this address, so no other site can steal it.
          </Trans>
        </Text>
        <Loaded of={passkeys}>
          {(rows) => (
            <Stack component="ul" gap={0} w="100%" p={0} m={0} style={{ listStyle: 'none' }}>
              {rows.map((passkey) => (
                <Row key={passkey.id} passkey={passkey} onRename={() => setRenamed(passkey)} />
              ))}
            </Stack>
          )}
        </Loaded>
        {passkeyObstacle ? (
          <Text size="sm" c="dimmed">
            {passkeyObstacle}
          </Text>
        ) : (
          <Button onClick={() => setAdding(true)}>{t`Add a passkey`}</Button>
        )}
      </Stack>
      <Modal opened={isAdding} onClose={() => setAdding(false)} title={t`Add a passkey`} centered>
        <Add onDone={() => setAdding(false)} />
      </Modal>
      <Modal
        opened={renamed !== undefined}
        onClose={() => setRenamed(undefined)}
        title={t`Rename the passkey`}
        centered
      >
        {renamed && (
          <NameForm
            initial={renamed.name}
            action={t`Rename`}
            onCancel={() => setRenamed(undefined)}
            onCreate={(name) => rename.mutate({ id: renamed.id, name })}
            isPending={rename.isPending}
          />
        )}
      </Modal>
    </Card>
  );
}

function Row({ passkey, onRename }: { passkey: Passkey; onRename: () => void }) {
  const { id, name, host, isBackedUp, createdAt, lastUsedAt } = passkey;
  const refresh = useRefresh();
  const remove = useMutation({
    mutationFn: () => mutate(SERVICE, DELETE, { id }),
    onSuccess: async () => {
      await refresh();
      notifications.show({ message: t`The passkey “${name}” was deleted. Your other sessions have ended.` });
    },
  });
  return (
    <Group
      component="li"
      justify="space-between"
      gap="sm"
      py="sm"
      style={{ borderTop: '1px solid var(--mantine-color-default-border)' }}
    >
      <div style={{ minWidth: 0 }}>
        <Group gap="xs">
          <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Text>
          <Status>{isBackedUp ? t`Synchronized` : t`One device`}</Status>
        </Group>
        <Text size="sm" c="dimmed">
          {lastUsedAt === null ? (
            <Trans>
              Created <Time of={createdAt} />, never used
            </Trans>
          ) : (
            <Trans>
              Created <Time of={createdAt} />, last used <Time of={lastUsedAt} />
            </Trans>
          )}
        </Text>
        {host !== location.hostname && <Text size="sm" c="dimmed">{t`Works only at ${host}`}</Text>}
      </div>
      <Group gap="xs" role="group" aria-label={t`Passkey ${name}`}>
        <Button size="xs" variant="default" onClick={onRename}>{t`Rename`}</Button>
        <ConfirmButton
          label={t`Delete`}
          question={t`“${name}” will no longer sign in, and your other sessions end. Afterwards remove it from the device or password manager, too.`}
          onConfirm={() => remove.mutate()}
          isLoading={remove.isPending}
        />
      </Group>
    </Group>
  );
}

function Add({ onDone }: { onDone: () => void }) {
  const refresh = useRefresh();
  const add = useMutation({
    meta: { showsErrors: true },
    mutationFn: createPasskey,
    onSuccess: async () => {
      await refresh();
      notifications.show({ message: t`Passkey added. You can sign in with it from now on.` });
      onDone();
    },
  });
  return (
    <Stack>
      <Text size="sm">
        <Trans>Choose a name that tells this device or security key from others. Then follow the browser.</Trans>
      </Text>
      {add.error && (
        <Alert color="red" role="alert">
          {passkeySentence(add.error) ?? sentenceOf(add.error)}
        </Alert>
      )}
      <NameForm
        initial={thisDevice()}
        action={t`Continue`}
        onCancel={onDone}
        onCreate={add.mutate}
        isPending={add.isPending}
      />
    </Stack>
  );
}

function useRefresh() {
  const queries = useQueryClient();
  return () => Promise.all([queries.invalidateQueries({ queryKey }), queries.invalidateQueries(administratorQuery)]);
}

const DEVICES = ['iPhone', 'iPad', 'Android', 'Macintosh', 'Windows', 'CrOS', 'Linux'] as const;
const NAMES: Partial<Record<string, string>> = { Macintosh: t`Mac`, Windows: t`Windows PC`, CrOS: t`Chromebook` };

/** A suggestion for the name. */
function thisDevice(): string {
  const device = DEVICES.find((name) => navigator.userAgent.includes(name)) ?? t`This device`;
  return NAMES[device] ?? device;
}
