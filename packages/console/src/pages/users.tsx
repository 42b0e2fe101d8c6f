import { graphql, type ResultOf } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Modal, PasswordInput, Select, Text, TextInput } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { hasRole, useMe } from '../app/administrator.ts';
import { mutate, query } from '../app/clients.ts';
import { forward, PAGE_SIZE } from '../app/paging.ts';
import { useListPolling } from '../app/polling.ts';
import { useRoles } from '../app/roles.ts';
import { useTypedFilter } from '../app/typing.ts';
import { nameOf } from '../app/user-names.ts';
import { userFilterOf } from '../app/user-search.ts';
import { Form, textProps } from '../ui/form.tsx';
import { Empty, Page } from '../ui/page.tsx';
import { type Column, Rows } from '../ui/rows.tsx';
import { Status } from '../ui/status.tsx';
import { useOpenInAddress } from '../ui/use-open-in-address.ts';
import { Time } from '../ui/values.tsx';
import { UserPicture } from './files/user-picture.tsx';

const USERS = graphql(`query ConsoleUsers($filter: UserFilter, $first: Int!, $after: String) {
  users(filter: $filter, first: $first, after: $after, orderBy: { field: ID, direction: DESC }) {
    totalCount
    edges { node { id login email fullName blobId tags roles isGuest createdAt lastRequestAt } }
    pageInfo { hasNextPage endCursor }
  }
}`);
const CREATE = graphql(`mutation ConsoleCreateUser($input: CreateUserInput!) { createUser(input: $input) { id } }`);

type User = ResultOf<typeof USERS>['users']['edges'][number]['node'];

const from = '/shell/apps/$application/users';

export function UsersPage() {
  const { application } = useParams({ from });
  const { search = '', tag = '', role = '' } = useSearch({ from });
  const [isOpen, { open, close }] = useOpenInAddress('create');
  const mayCreate = hasRole(useMe(), ['SUPPORT'], application);
  const users = useInfiniteQuery({
    ...forward,
    refetchInterval: useListPolling(15_000),
    queryKey: [application, 'users', search, tag, role],
    queryFn: async ({ pageParam, signal }) => {
      const variables = {
        filter: {
          ...userFilterOf(search),
          ...(tag !== '' && { tags: { in: [tag] } }),
          ...(role !== '' && { roles: { in: [role] } }),
        },
        first: PAGE_SIZE,
        after: pageParam,
      };
      return (await query({ application }, USERS, variables, signal)).users;
    },
  });
  const total = users.data?.pages[0]?.totalCount;
  return (
    <Page
      title={t`Users`}
      description={total === undefined ? t`Newest first` : t`${total.toLocaleString()} found, newest first`}
      actions={mayCreate && <Button onClick={open}>{t`Create user`}</Button>}
    >
      <Filters key={application} search={search} tag={tag} role={role} application={application} />
      <Rows
        label={t`Users`}
        of={users}
        columns={columnsOf(application)}
        keyOf={({ id }) => id}
        empty={<NoUsers isFiltered={search + tag + role !== ''} />}
      />
      <Modal opened={isOpen} onClose={close} title={t`Create user`}>
        <CreateForm application={application} onCancel={close} />
      </Modal>
    </Page>
  );
}

const columnsOf = (application: number): Column<User>[] => [
  {
    name: t`Name`,
    width: 'minmax(0, 2fr)',
    render: (user) => (
      <Group gap="sm" wrap="nowrap">
        <UserPicture application={application} user={user} />
        <div style={{ minWidth: 0 }}>
          <Link
            className="row-link"
            to="/apps/$application/users/$user"
            params={{ application, user: String(user.id) }}
          >
            {nameOf(user)}
          </Link>
          <Text size="xs" c="dimmed" truncate>
            {[t`Id ${user.id}`, user.login, user.email].filter(Boolean).join(' · ')}
          </Text>
        </div>
      </Group>
    ),
  },
  {
    name: t`Roles`,
    width: 'minmax(0, 1fr)',
    isMinor: true,
    render: ({ roles, isGuest }) => <Words of={isGuest ? [t`guest`, ...roles] : roles} />,
  },
  { name: t`Tags`, width: 'minmax(0, 1fr)', isMinor: true, render: ({ tags }) => <Words of={tags} /> },
  { name: t`Created`, width: '8rem', isMinor: true, render: ({ createdAt }) => <Time of={createdAt} /> },
  { name: t`Last request`, width: '8rem', render: ({ lastRequestAt }) => <Time of={lastRequestAt} /> },
];

function Words({ of: words }: { of: readonly string[] }) {
  return (
    <Group gap={4} wrap="nowrap">
      {words.map((word) => (
        <Status key={word}>{word}</Status>
      ))}
    </Group>
  );
}

/** The address contains the filters, so that a link shows the same list. */
function Filters({ application, ...filters }: { application: number; search: string; tag: string; role: string }) {
  const { search, tag, role } = filters;
  const { data: roles = [] } = useRoles(application);
  const navigate = useNavigate({ from: '/apps/$application/users' });
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(filters);
  const apply = useTypedFilter((next: typeof text) => {
    const isSet = Object.entries(next).filter(([, value]) => value !== '');
    void navigate({ search: Object.fromEntries(isSet), replace: true });
  });
  const set = (change: Partial<typeof text>) => {
    const next = { ...text, ...change };
    setText(next);
    apply(next);
  };
  // The navigation leads to the list without filters.
  useEffect(() => {
    if (search + tag + role === '') setText({ search, tag, role });
  }, [search, tag, role]);
  useHotkeys([['/', () => input.current?.focus()]]);
  return (
    <Group className="filters" align="flex-end">
      <TextInput
        ref={input}
        className="filter-wide"
        label={t`Search`}
        placeholder={t`Part of login or name, complete email address, or id`}
        {...textProps(text.search, (value) => set({ search: value.trim() }))}
      />
      <TextInput label={t`Tag`} {...textProps(text.tag, (value) => set({ tag: value.trim() }))} />
      {(roles.length > 0 || role !== '') && (
        <Select
          label={t`Role`}
          placeholder={t`All roles`}
          data={[...new Set([...roles.map(({ name }) => name), ...(text.role ? [text.role] : [])])]}
          value={text.role || null}
          onChange={(chosen) => set({ role: chosen ?? '' })}
          clearable
        />
      )}
    </Group>
  );
}

function NoUsers({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return <Empty title={t`No user matches`}>{t`Try a shorter part of the login or name, or fewer filters.`}</Empty>;
  return (
    <Empty title={t`No users yet`}>
      <Trans>Users appear here when they sign up in your app, or when your server creates them with an API key.</Trans>
    </Empty>
  );
}

function CreateForm({ application, onCancel }: { application: number; onCancel: () => void }) {
  const [form, setForm] = useState({ login: '', fullName: '', email: '', password: '' });
  const queries = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: async () => {
      const input = Object.fromEntries(Object.entries(form).filter(([, value]) => value !== ''));
      return (await mutate({ application }, CREATE, { input })).createUser;
    },
    onSuccess: ({ id }) => {
      void queries.invalidateQueries({ queryKey: [application, 'users'] });
      void navigate({ to: '/apps/$application/users/$user', params: { application, user: String(id) } });
    },
  });
  const field = (name: keyof typeof form) => textProps(form[name], (text) => setForm({ ...form, [name]: text }));
  return (
    <Form onSubmit={() => create.mutate()} action={t`Create`} isPending={create.isPending} onCancel={onCancel}>
      <TextInput label={t`Login`} {...field('login')} autoComplete="off" data-autofocus />
      <TextInput label={t`Full name`} {...field('fullName')} autoComplete="off" />
      <TextInput label={t`Email address`} type="email" {...field('email')} autoComplete="off" />
      <PasswordInput
        label={t`Password`}
        description={t`8 to 40 characters`}
        {...field('password')}
        autoComplete="new-password"
      />
    </Form>
  );
}
