import { graphql, type ResultOf } from '@atrium/client';
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
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { hasRole, useMe } from '../app/administrator.ts';
import { mutate, query } from '../app/clients.ts';
import { nameOf } from '../app/user-names.ts';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { submitting } from '../ui/form.tsx';
import { Loaded, Page } from '../ui/page.tsx';
import { Time } from '../ui/values.tsx';
import { UserAccess } from './user-access.tsx';

const USER = graphql(`query ConsoleUser($id: Int!) {
  user(id: $id) {
    id login email fullName phone website customData tags grantedTags externalUserId createdAt updatedAt lastRequestAt blockedAt
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
  });
  return (
    <Page
      title={found.data ? nameOf(found.data) : `User ${id}`}
      description={`User ${id} of application ${application}`}
      actions={
        mayEdit && (
          <Button component={Link} to={`/apps/${application}/dialogs?user=${id}`} variant="default">
            Dialogs
          </Button>
        )
      }
    >
      <Loaded of={found}>
        {(loaded) => (
          <Stack gap="lg">
            <Times user={loaded} />
            <ProfileForm key={loaded.updatedAt} application={application} user={loaded} isReadOnly={!mayEdit} />
            {mayEdit && <UserAccess application={application} id={id} blockedAt={loaded.blockedAt} />}
            {mayEdit && <Password application={application} id={id} />}
            {mayEdit && <Deletion application={application} user={loaded} />}
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

function Times({ user: { createdAt, updatedAt, lastRequestAt } }: { user: User }) {
  const times = { Created: createdAt, Changed: updatedAt, 'Last request': lastRequestAt };
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }} maw={640}>
      {Object.entries(times).map(([name, time]) => (
        <div key={name}>
          <Text size="sm" c="dimmed">
            {name}
          </Text>
          <Text fw={600}>
            <Time of={time} />
          </Text>
        </div>
      ))}
    </SimpleGrid>
  );
}

const TEXTS = [
  { field: 'fullName', label: 'Full name' },
  { field: 'login', label: 'Login' },
  { field: 'email', label: 'Email address' },
  { field: 'phone', label: 'Phone' },
  { field: 'website', label: 'Website' },
] as const;

function ProfileForm({ application, user, isReadOnly }: { application: number; user: User; isReadOnly: boolean }) {
  const { fullName, login, email, phone, website, customData, tags } = user;
  const initial = { fullName, login, email, phone, website, customData, tags };
  const [form, setForm] = useState(initial);
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: () => {
      const changed = Object.entries(form).filter(([name, value]) => value !== initial[name as keyof typeof initial]);
      return mutate({ application }, UPDATE, { id: user.id, input: Object.fromEntries(changed) });
    },
    onSuccess: () => {
      notifications.show({ message: 'User saved' });
      void queries.invalidateQueries({ queryKey: [application, 'user', user.id] });
      void queries.invalidateQueries({ queryKey: [application, 'users'] });
    },
  });
  const submit = submitting(() => save.mutate());
  const isChanged = Object.keys(form).some(
    (name) => form[name as keyof typeof form] !== initial[name as keyof typeof form],
  );
  return (
    <Card withBorder component="form" onSubmit={submit}>
      <fieldset disabled={isReadOnly} style={{ border: 0, margin: 0, padding: 0 }}>
        <Stack>
          <Title order={2} size="h4">
            Profile
          </Title>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            {TEXTS.map(({ field, label }) => (
              <TextInput
                key={field}
                label={label}
                value={form[field] ?? ''}
                onChange={({ currentTarget: { value } }) => setForm({ ...form, [field]: value === '' ? null : value })}
                autoComplete="off"
              />
            ))}
            <TagsInput
              label="Tags"
              description="Groups of permissions"
              value={form.tags}
              onChange={(tags) => setForm({ ...form, tags })}
              maxTags={5}
            />
          </SimpleGrid>
          <Textarea
            label="Custom data"
            value={form.customData ?? ''}
            onChange={({ currentTarget: { value } }) => setForm({ ...form, customData: value === '' ? null : value })}
            autosize
            minRows={2}
            maxRows={12}
          />
          {!isReadOnly && (
            <Group>
              <Button type="submit" loading={save.isPending} disabled={!isChanged}>
                Save
              </Button>
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
      notifications.show({ message: 'Password set. The sessions of the user have ended.' });
    },
  });
  const submit = submitting(() => save.mutate());
  return (
    <Card withBorder component="form" onSubmit={submit}>
      <Stack align="flex-start">
        <Title order={2} size="h4">
          Password
        </Title>
        <PasswordInput
          label="New password"
          description="8 to 40 characters without spaces"
          autoComplete="new-password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          minLength={8}
          maxLength={40}
          required
          w="100%"
          maw={360}
        />
        <Button type="submit" variant="default" loading={save.isPending}>
          Set password
        </Button>
      </Stack>
    </Card>
  );
}

function Deletion({ application, user }: { application: number; user: User }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => mutate({ application }, DELETE, { id: user.id }),
    onSuccess: async () => {
      await navigate({ to: '/apps/$application/users', params: { application } });
      await queries.invalidateQueries({ queryKey: [application, 'users'] });
      notifications.show({ message: `${nameOf(user)} was deleted` });
    },
  });
  return (
    <Card withBorder>
      <Group justify="space-between">
        <Text flex="1 1 20rem">
          Deleting the user ends their sessions and removes them from dialogs. Their messages remain.
        </Text>
        <ConfirmButton
          label="Delete user"
          question={`Delete ${nameOf(user)}? This cannot be undone.`}
          onConfirm={() => remove.mutate()}
          isLoading={remove.isPending}
        />
      </Group>
    </Card>
  );
}
