import { graphql } from '@atrium/client';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { mutate, query } from '../app/clients.ts';
import { usePolling } from '../app/polling.ts';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { Loaded } from '../ui/page.tsx';
import { showUndo } from '../ui/undo.tsx';
import { Time } from '../ui/values.tsx';
import { type SignInUser, UserSignIn } from './user-sign-in.tsx';

const SESSIONS = graphql(`query ConsoleUserSessions($id: Int!) {
  userSessions(userId: $id) { id device network createdAt updatedAt expiresAt }
}`);
const END = graphql(`mutation ConsoleEndSessions($id: Int!) { endUserSessions(userId: $id) }`);
const BLOCK = graphql(`mutation ConsoleBlockUser($id: Int!) { blockUser(userId: $id) { id } }`);
const UNBLOCK = graphql(`mutation ConsoleUnblockUser($id: Int!) { unblockUser(userId: $id) { id } }`);

interface UserAccessProps {
  application: number;
  user: SignInUser & { blockedAt: string | null };
}

/** How the user signs in, open sessions, and blocking the user. */
export function UserAccess({ application, user }: UserAccessProps) {
  const { id, blockedAt } = user;
  const queries = useQueryClient();
  const queryKey = [application, 'user-sessions', id];
  const sessions = useQuery({
    queryKey,
    queryFn: async ({ signal }) => (await query({ application }, SESSIONS, { id }, signal)).userSessions,
    refetchInterval: usePolling(15_000),
  });
  const refresh = () => {
    void queries.invalidateQueries({ queryKey });
    void queries.invalidateQueries({ queryKey: [application, 'user', id] });
  };
  const end = useMutation({
    mutationFn: async () => (await mutate({ application }, END, { id })).endUserSessions,
    onSuccess: (count) => {
      notifications.show({ message: plural(count, { one: '# session ended', other: '# sessions ended' }) });
      refresh();
    },
  });
  const block = useMutation({
    mutationFn: () => mutate({ application }, BLOCK, { id }),
    onSuccess: () => {
      refresh();
      showUndo(t`User blocked`, () => unblock.mutate());
    },
  });
  const unblock = useMutation({ mutationFn: () => mutate({ application }, UNBLOCK, { id }), onSuccess: refresh });
  return (
    <Card withBorder>
      <Stack>
        <Title order={2} size="h4">{t`Access`}</Title>
        {blockedAt && (
          <Alert color="red" title={t`Blocked`}>
            <Group justify="space-between">
              <Text size="sm">
                <Trans>
                  The user cannot sign in since <Time of={blockedAt} />.
                </Trans>
              </Text>
              <Button size="xs" variant="default" onClick={() => unblock.mutate()} loading={unblock.isPending}>
                <Trans>Unblock</Trans>
              </Button>
            </Group>
          </Alert>
        )}
        <UserSignIn application={application} user={user} />
        <Title order={3} size="h6">{t`Sessions`}</Title>
        <Loaded of={sessions}>
          {(rows) =>
            rows.length === 0 ? (
              <Text c="dimmed">{t`No open sessions.`}</Text>
            ) : (
              <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: 'none' }}>
                {rows.map(({ id: session, device, network, createdAt, updatedAt, expiresAt }) => (
                  <li key={session}>
                    <Text size="sm" fw={600}>
                      {device ?? t`Unknown device`}
                    </Text>
                    <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                      {network !== null && `${network}, `}
                      <Trans>
                        signed in <Time of={createdAt} />, last request <Time of={updatedAt} />, expires{' '}
                        <Time of={expiresAt} />
                      </Trans>
                    </Text>
                  </li>
                ))}
              </Stack>
            )
          }
        </Loaded>
        <Group>
          <ConfirmButton
            label={t`End sessions`}
            question={t`The user is signed out everywhere, and can sign in again.`}
            onConfirm={() => end.mutate()}
            isLoading={end.isPending}
          />
          {!blockedAt && (
            <ConfirmButton
              label={t`Block user`}
              question={t`The user is signed out everywhere and cannot sign in until you unblock them.`}
              onConfirm={() => block.mutate()}
              isLoading={block.isPending}
            />
          )}
        </Group>
      </Stack>
    </Card>
  );
}
