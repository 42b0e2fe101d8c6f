import { graphql, type ResultOf } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { hasRole, useMe } from '../app/administrator.ts';
import { mutate, query } from '../app/clients.ts';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { Loaded } from '../ui/page.tsx';
import { Time } from '../ui/values.tsx';
import { lacksProvider, SetUpLink, STATES } from './pushes/deliveries.tsx';
import { channelName, DELIVERIES, type Delivery } from './pushes/documents.ts';

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
        <Title order={2} size="h4">{t`Devices`}</Title>
        {isShown ? (
          <Loaded of={devices}>
            {(rows) =>
              rows.length === 0 ? (
                <Text c="dimmed">{t`No device receives pushes.`}</Text>
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
            <Button size="xs" variant="default" onClick={() => setShown(true)}>{t`Show devices`}</Button>
          </Group>
        )}
      </Stack>
    </Card>
  );
}

function Devices({ application, id, rows }: UserDevicesProps & { rows: Device[] }) {
  const queries = useQueryClient();
  const { data: results = [] } = useQuery({
    queryKey: [application, 'deliveries', 'latest', id],
    queryFn: async ({ signal }) => {
      const { pushDeliveries } = await query({ application }, DELIVERIES, { userId: id, first: 100 }, signal);
      return pushDeliveries.edges.map(({ node }) => node);
    },
  });
  const remove = useMutation({
    mutationFn: (device: number) => mutate({ application, onBehalfOf: id }, REMOVE, { id: device }),
    onSuccess: () => {
      notifications.show({ message: t`The device receives no more pushes` });
      return queries.invalidateQueries({ queryKey: [application, 'user-devices', id] });
    },
  });
  return (
    <Stack component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
      {rows.map(({ id: device, channel, platform, environment, udid, updatedAt }) => (
        <Group key={device} component="li" justify="space-between" align="flex-start" wrap="nowrap">
          <div style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
            <Text size="sm" fw={600}>
              {channelName(channel)}
            </Text>
            <Text size="xs" c="dimmed">
              {[platform, environment, udid].filter(Boolean).join(', ')},{' '}
              <Trans>
                registered <Time of={updatedAt} />
              </Trans>
            </Text>
            <LastResult
              of={results.find(({ subscriptionId }) => subscriptionId === device)}
              application={application}
            />
          </div>
          <div style={{ flex: 'none' }}>
            <ConfirmButton
              label={t`Remove`}
              question={t`The device receives no more pushes until the app registers it again.`}
              onConfirm={() => remove.mutate(device)}
              isLoading={remove.isPending && remove.variables === device}
            />
          </div>
        </Group>
      ))}
    </Stack>
  );
}

/** Of the latest push to the device. */
function LastResult({ of: delivery, application }: { of: Delivery | undefined; application: number }) {
  const maySetUp = hasRole(useMe(), ['DEVELOPER'], application);
  if (!delivery) return null;
  const { status, answer, createdAt } = delivery;
  return (
    <>
      <Text size="xs" c={status === 'FAILED' ? 'var(--mantine-color-error)' : 'dimmed'}>
        {STATES[status]} <Time of={createdAt} />
        {status !== 'DELIVERED' && answer && `: ${answer}`}
      </Text>
      {maySetUp && lacksProvider(answer) && <SetUpLink application={application} />}
    </>
  );
}
