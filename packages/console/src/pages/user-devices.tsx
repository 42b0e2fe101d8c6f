import { graphql, type ResultOf } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Card, Group, Stack, Table, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { mutate, query } from '../app/clients.ts';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { Loaded } from '../ui/page.tsx';
import { Time } from '../ui/values.tsx';

const DEVICES = graphql(`query ConsoleUserDevices {
  subscriptions { id channel platform environment udid updatedAt }
}`);
const REMOVE = graphql(`mutation ConsoleRemoveDevice($id: Int!) { deleteSubscription(id: $id) }`);

type Device = ResultOf<typeof DEVICES>['subscriptions'][number];

interface UserDevicesProps {
  application: number;
  id: number;
}

/** Devices that receive pushes. They are read as the user, for which the console may ask for the password. */
export function UserDevices({ application, id }: UserDevicesProps) {
  const [isShown, setShown] = useState(false);
  const target = { application, onBehalfOf: id };
  const devices = useQuery({
    queryKey: [application, 'user-devices', id],
    queryFn: async ({ signal }) => (await query(target, DEVICES, {}, signal)).subscriptions,
    enabled: isShown,
  });
  return (
    <Card withBorder>
      <Stack align="stretch">
        <Title order={2} size="h4">
          <Trans>Devices</Trans>
        </Title>
        {isShown ? (
          <Loaded of={devices}>
            {(rows) =>
              rows.length === 0 ? (
                <Text c="dimmed">
                  <Trans>No device receives pushes.</Trans>
                </Text>
              ) : (
                <Devices application={application} id={id} rows={rows} />
              )
            }
          </Loaded>
        ) : (
          <Group justify="space-between">
            <Text c="dimmed" flex="1 1 20rem">
              <Trans>Devices are shown as the user sees them, so you may have to enter your password again.</Trans>
            </Text>
            <Button size="xs" variant="default" onClick={() => setShown(true)}>
              <Trans>Show devices</Trans>
            </Button>
          </Group>
        )}
      </Stack>
    </Card>
  );
}

function Devices({ application, id, rows }: UserDevicesProps & { rows: Device[] }) {
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: (device: number) => mutate({ application, onBehalfOf: id }, REMOVE, { id: device }),
    onSuccess: () => {
      notifications.show({ message: t`The device receives no more pushes` });
      return queries.invalidateQueries({ queryKey: [application, 'user-devices', id] });
    },
  });
  return (
    <Table layout="fixed">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>
            <Trans>Channel</Trans>
          </Table.Th>
          <Table.Th visibleFrom="sm">
            <Trans>Device</Trans>
          </Table.Th>
          <Table.Th>
            <Trans>Registered</Trans>
          </Table.Th>
          <Table.Th w="6.5rem">
            <Text span inherit visibleFrom="sm">
              <Trans>Actions</Trans>
            </Text>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map(({ id: device, channel, platform, environment, udid, updatedAt }) => (
          <Table.Tr key={device}>
            <Table.Td>
              {channel}
              <Text size="xs" c="dimmed">
                {[platform, environment].filter(Boolean).join(', ')}
              </Text>
            </Table.Td>
            <Table.Td visibleFrom="sm" style={{ overflowWrap: 'anywhere' }}>
              {udid}
            </Table.Td>
            <Table.Td>
              <Time of={updatedAt} />
            </Table.Td>
            <Table.Td>
              <ConfirmButton
                label={t`Remove`}
                question={t`The device receives no more pushes until the app registers it again.`}
                onConfirm={() => remove.mutate(device)}
                isLoading={remove.isPending && remove.variables === device}
              />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
