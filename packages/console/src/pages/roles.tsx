import { graphql } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Modal, Table, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueries, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { hasRole, useMe } from '../app/administrator.ts';
import { mutate, query } from '../app/clients.ts';
import { useRoles } from '../app/roles.ts';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { Form, textProps } from '../ui/form.tsx';
import { Heads } from '../ui/heads.tsx';
import { Empty, Loaded, Page } from '../ui/page.tsx';
import { useOpenInAddress } from '../ui/use-open-in-address.ts';
import { Time } from '../ui/values.tsx';

const COUNT = graphql(`query ConsoleUsersWithRole($role: String!) {
  users(filter: { roles: { in: [$role] } }, first: 1) { totalCount }
}`);
const DEFINE = graphql(`mutation ConsoleDefineRole($name: String!, $description: String!) {
  defineRole(name: $name, description: $description) { name }
}`);
const DELETE = graphql(`mutation ConsoleDeleteRole($name: String!) { deleteRole(name: $name) }`);

interface Role {
  name: string;
  description: string;
  createdAt: string;
}

const from = '/shell/apps/$application/roles';

export function RolesPage() {
  const { application } = useParams({ from });
  const { role: edited } = useSearch({ from });
  const navigate = useNavigate({ from: '/apps/$application/roles' });
  const edit = (role: string | undefined) =>
    void navigate({ search: role === undefined ? {} : { role }, replace: true });
  const [isOpen, { open, close }] = useOpenInAddress('create');
  const mayDefine = hasRole(useMe(), ['DEVELOPER'], application);
  const roles = useRoles(application);
  const stored = roles.data?.find(({ name }) => name === edited);
  return (
    <Page
      title={t`Roles`}
      description={t`Permissions name a role as a group, and settings and API keys by its name.`}
      actions={mayDefine && <Button onClick={open}>{t`Create role`}</Button>}
    >
      <Loaded of={roles}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty title={t`No roles yet`}>
              <Trans>
                A role such as “editor” opens records to its users. Only API keys and administrators assign roles.
              </Trans>
            </Empty>
          ) : (
            <Roles application={application} rows={rows} mayDefine={mayDefine} onEdit={edit} />
          )
        }
      </Loaded>
      <Modal opened={mayDefine && isOpen} onClose={close} title={t`Create role`}>
        <RoleForm application={application} onClose={close} />
      </Modal>
      <Modal opened={mayDefine && !!stored} onClose={() => edit(undefined)} title={t`Edit role`}>
        {stored && <RoleForm application={application} stored={stored} onClose={() => edit(undefined)} />}
      </Modal>
    </Page>
  );
}

interface RolesProps {
  application: number;
  rows: readonly Role[];
  mayDefine: boolean;
  onEdit: (role: string) => void;
}

function Roles({ application, rows, mayDefine, onEdit }: RolesProps) {
  const counts = useQueries({
    queries: rows.map(({ name: role }) => ({
      queryKey: [application, 'users', 'count', role],
      queryFn: async ({ signal }: { signal: AbortSignal }) =>
        (await query({ application }, COUNT, { role }, signal)).users.totalCount,
    })),
  });
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: (name: string) => mutate({ application }, DELETE, { name }),
    onSuccess: (_deleted, name) => {
      notifications.show({ message: t`Role ${name} deleted` });
      void queries.invalidateQueries({ queryKey: [application, 'users'] });
      return queries.invalidateQueries({ queryKey: [application, 'roles'] });
    },
  });
  return (
    <Table verticalSpacing="sm" className="stacked">
      <Heads of={[t`Name`, t`Description`, t`Users`, t`Created`]} hasActions={mayDefine} />
      <Table.Tbody>
        {rows.map(({ name, description, createdAt }, index) => (
          <Table.Tr key={name}>
            <Table.Td>
              <Link className="row-link" to="/apps/$application/users" params={{ application }} search={{ role: name }}>
                {name}
              </Link>
            </Table.Td>
            <Table.Td>{description}</Table.Td>
            <Table.Td data-label={t`Users`}>{counts[index]?.data?.toLocaleString() ?? '–'}</Table.Td>
            <Table.Td data-label={t`Created`}>
              <Time of={createdAt} />
            </Table.Td>
            {mayDefine && (
              <Table.Td>
                <Group gap="xs" justify="flex-end" wrap="nowrap">
                  <Button size="xs" variant="default" onClick={() => onEdit(name)}>{t`Edit`}</Button>
                  <ConfirmButton
                    label={t`Delete`}
                    question={t`Delete the role “${name}”? Its users lose it, and permissions that name it grant nothing by it.`}
                    onConfirm={() => remove.mutate(name)}
                    isLoading={remove.isPending && remove.variables === name}
                  />
                </Group>
              </Table.Td>
            )}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** Creates a role, or changes the description of a stored one. */
function RoleForm({ application, stored, onClose }: { application: number; stored?: Role; onClose: () => void }) {
  const [form, setForm] = useState({ name: stored?.name ?? '', description: stored?.description ?? '' });
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: () => mutate({ application }, DEFINE, form),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: [application, 'roles'] });
      onClose();
    },
    meta: { showsErrors: true },
  });
  const field = (name: keyof typeof form) => textProps(form[name], (text) => setForm({ ...form, [name]: text }));
  return (
    <Form
      onSubmit={() => save.mutate()}
      action={stored ? t`Save` : t`Create`}
      isPending={save.isPending}
      error={save.error}
      onCancel={onClose}
    >
      <TextInput
        label={t`Name`}
        description={t`Lower-case letters, digits, - and _`}
        {...field('name')}
        maxLength={40}
        readOnly={stored !== undefined}
        autoComplete="off"
        required
        {...(!stored && { 'data-autofocus': true })}
      />
      <TextInput
        label={t`Description`}
        description={t`What its users may do, for your colleagues`}
        {...field('description')}
        maxLength={255}
        {...(stored && { 'data-autofocus': true })}
      />
    </Form>
  );
}
