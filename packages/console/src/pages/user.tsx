import { graphql, type ResultOf } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import {
  Button,
  Card,
  Group,
  PasswordInput,
  SimpleGrid,
  Stack,
  TagsInput,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { hasRole, useMe } from '../app/administrator.ts';
import { mutate, query } from '../app/clients.ts';
import { usePolling } from '../app/polling.ts';
import { useTags } from '../app/tags.ts';
import { nameOf } from '../app/user-names.ts';
import { Deletion } from '../ui/confirm-button.tsx';
import { type Change, changeOf, undone, useDraft } from '../ui/draft.ts';
import { submitting, textProps } from '../ui/form.tsx';
import { Loaded, Page } from '../ui/page.tsx';
import { Status } from '../ui/status.tsx';
import { showUndo } from '../ui/undo.tsx';
import { Time } from '../ui/values.tsx';
import { UserPicture } from './files/user-picture.tsx';
import { Deliveries } from './pushes/deliveries.tsx';
import { UserAccess } from './user-access.tsx';
import { UserCheck } from './user-check.tsx';
import { UserDevices } from './user-devices.tsx';
import { UserRoles } from './user-roles.tsx';

const USER = graphql(`query ConsoleUser($id: Int!) {
  user(id: $id) {
    id login email fullName blobId phone website customData tags grantedTags externalUserId createdAt updatedAt lastRequestAt
    blockedAt roles emailVerified isGuest
  }
}`);
const UPDATE = graphql(`mutation ConsoleUpdateUser($id: Int!, $input: UpdateUserInput!) {
  updateUser(id: $id, input: $input) { id }
}`);
const DELETE = graphql(`mutation ConsoleDeleteUser($id: Int!) { deleteUser(id: $id) }`);

type User = ResultOf<typeof USER>['user'];

const from = '/shell/apps/$application/users/$user';

export function UserPage() {
  const { application, user } = useParams({ from });
  const id = Number(user);
  const mayEdit = hasRole(useMe(), ['SUPPORT'], application);
  const found = useQuery({
    queryKey: [application, 'user', id],
    queryFn: async ({ signal }) => (await query({ application }, USER, { id }, signal)).user,
    refetchInterval: usePolling(5_000),
  });
  return (
    <Page
      title={found.data ? nameOf(found.data) : t`User ${id}`}
      icon={found.data && <UserPicture application={application} user={found.data} size={44} />}
      state={found.data && <Badges user={found.data} />}
      description={t`User ${id} of application ${application}`}
      actions={<Links application={application} id={id} isSupport={mayEdit} />}
      more={mayEdit && found.data && <DeleteUser application={application} user={found.data} />}
    >
      <Loaded of={found}>
        {(loaded) => (
          <div className="two-columns">
            <Stack gap="lg">
              <Times user={loaded} />
              <ProfileForm key={id} application={application} user={loaded} isReadOnly={!mayEdit} />
              <Card withBorder>
                <Stack>
                  <Title order={2} size="h4">{t`Pushes`}</Title>
                  <Deliveries
                    target={{ application }}
                    userId={id}
                    empty={
                      <Text c="dimmed">
                        <Trans>
                          Nothing was sent to a device of the user: they have none, or were online when messages
                          arrived.
                        </Trans>
                      </Text>
                    }
                  />
                </Stack>
              </Card>
            </Stack>
            {mayEdit && (
              <Stack gap="lg">
                <UserRoles application={application} id={id} roles={loaded.roles} />
                <UserAccess application={application} user={loaded} />
                <UserCheck key={`check ${id}`} application={application} id={id} />
                <UserDevices key={`devices ${id}`} application={application} id={id} />
                <Password application={application} id={id} />
              </Stack>
            )}
          </div>
        )}
      </Loaded>
    </Page>
  );
}

/** What else the console shows about the user. */
function Links({ application, id, isSupport }: { application: number; id: number; isSupport: boolean }) {
  const links = [
    ...(isSupport ? [{ name: t`Dialogs`, page: 'dialogs' }] : []),
    { name: t`Files`, page: 'files' },
    { name: t`Created pushes`, page: 'pushes' },
    ...(isSupport ? [{ name: t`Act as user`, page: 'explorer' }] : []),
  ];
  return links.map(({ name, page }) => (
    <Button key={page} component={Link} to={`/apps/${application}/${page}?user=${id}`} variant="default">
      {name}
    </Button>
  ));
}

function Badges({ user: { email, emailVerified, isGuest } }: { user: User }) {
  return (
    <>
      {isGuest && <Status>{t`Guest`}</Status>}
      {email && (
        <Status tone={emailVerified ? 'good' : 'plain'}>
          {emailVerified ? t`Email address verified` : t`Email address not verified`}
        </Status>
      )}
    </>
  );
}

function Times({ user: { createdAt, updatedAt, lastRequestAt } }: { user: User }) {
  const times = [
    [t`Created`, createdAt],
    [t`Changed`, updatedAt],
    [t`Last request`, lastRequestAt],
  ] as const;
  return (
    <SimpleGrid cols={3} spacing="sm">
      {times.map(([name, time]) => (
        <Card key={name} withBorder padding="sm">
          <Text size="sm" c="dimmed">
            {name}
          </Text>
          <Text fw={600}>
            <Time of={time} />
          </Text>
        </Card>
      ))}
    </SimpleGrid>
  );
}

const TEXTS = [
  { field: 'fullName', label: t`Full name` },
  { field: 'login', label: t`Login` },
  { field: 'email', label: t`Email address` },
  { field: 'phone', label: t`Phone` },
  { field: 'website', label: t`Website` },
] as const;

function ProfileForm({ application, user, isReadOnly }: { application: number; user: User; isReadOnly: boolean }) {
  const { fullName, login, email, phone, website, customData, tags } = user;
  const stored = { fullName, login, email, phone, website, customData, tags };
  const { form, changes, isChanged, set, clear } = useDraft(stored);
  const knownTags = useTags(application);
  const queries = useQueryClient();
  const queryKey = [application, 'user', user.id];
  const save = useMutation({
    mutationFn: ({ input }: Change<typeof stored>) => mutate({ application }, UPDATE, { id: user.id, input }),
    onSuccess: async (_saved, change) => {
      await queries.invalidateQueries({ queryKey });
      void queries.invalidateQueries({ queryKey: [application, 'users'] });
      clear();
      showUndo(t`User saved`, () => save.mutate(undone(change)));
    },
  });
  const submit = submitting(() => save.mutate(changeOf(changes, stored)));
  return (
    <Card withBorder component="form" onSubmit={submit}>
      <fieldset disabled={isReadOnly} style={{ border: 0, margin: 0, padding: 0 }}>
        <Stack>
          <Title order={2} size="h4">{t`Profile`}</Title>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            {TEXTS.map(({ field, label }) => (
              <TextInput
                key={field}
                label={label}
                value={form[field] ?? ''}
                onChange={({ currentTarget: { value } }) => set({ [field]: value === '' ? null : value })}
                autoComplete="off"
              />
            ))}
            <TagsInput
              label={t`Tags`}
              description={t`Groups of permissions`}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              data={knownTags}
              value={form.tags}
              onChange={(tags) => set({ tags })}
              maxTags={5}
            />
          </SimpleGrid>
          <Textarea
            label={t`Custom data`}
            value={form.customData ?? ''}
            onChange={({ currentTarget: { value } }) => set({ customData: value === '' ? null : value })}
            autosize
            minRows={2}
            maxRows={12}
          />
          {!isReadOnly && (
            <Group>
              <Button type="submit" loading={save.isPending} disabled={!isChanged}>{t`Save`}</Button>
            </Group>
          )}
        </Stack>
      </fieldset>
    </Card>
  );
}

function Password({ application, id }: { application: number; id: number }) {
  const [password, setPassword] = useState('');
  const save = useMutation({
    mutationFn: () => mutate({ application }, UPDATE, { id, input: { password } }),
    onSuccess: () => {
      setPassword('');
      notifications.show({ message: t`Password set. The sessions of the user have ended.` });
    },
  });
  const submit = submitting(() => save.mutate());
  return (
    <Card withBorder component="form" onSubmit={submit}>
      <Stack align="flex-start">
        <Title order={2} size="h4">{t`Password`}</Title>
        <PasswordInput
          label={t`New password`}
          description={t`8 to 40 characters without spaces`}
          autoComplete="new-password"
          {...textProps(password, setPassword)}
          minLength={8}
          maxLength={40}
          required
          w="100%"
          maw={360}
        />
        <Button type="submit" variant="default" loading={save.isPending}>{t`Set password`}</Button>
      </Stack>
    </Card>
  );
}

function DeleteUser({ application, user }: { application: number; user: User }) {
  return (
    <Deletion
      label={t`Delete user`}
      question={t`Delete ${nameOf(user)}? Their sessions end, and they leave their dialogs; their messages remain. This cannot be undone.`}
      remove={() => mutate({ application }, DELETE, { id: user.id })}
      list={{ to: '/apps/$application/users', params: { application } }}
      listKey={[application, 'users']}
      done={t`${nameOf(user)} was deleted`}
    />
  );
}
