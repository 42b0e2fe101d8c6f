import { graphql, type ResultOf } from '@atrium/client';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Modal, MultiSelect, Stack, Table, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { applicationsQuery, ownsAll, type Role, useMe } from '../app/administrator.ts';
import { mutate, query, SERVICE } from '../app/clients.ts';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { Form, textProps } from '../ui/form.tsx';
import { Heads } from '../ui/heads.tsx';
import { Loaded, Page } from '../ui/page.tsx';
import { Status } from '../ui/status.tsx';
import { useOpenInAddress } from '../ui/use-open-in-address.ts';
import { Copyable, Time } from '../ui/values.tsx';

const LIST = graphql(`query ConsoleAdministrators {
  administrators { id email name hasTotp passkeyCount signedInAt roles { applicationId role } }
  administratorInvitations { id email name expiresAt roles { applicationId role } }
}`);
const INVITE = graphql(`mutation ConsoleInvite($input: InviteAdministratorInput!) {
  inviteAdministrator(input: $input) { url isMailed }
}`);
const UPDATE = graphql(`mutation ConsoleUpdateAdministrator($id: Int!, $input: UpdateAdministratorInput!) {
  updateAdministrator(id: $id, input: $input) { id }
}`);
const DELETE = graphql(`mutation ConsoleDeleteAdministrator($id: Int!) { deleteAdministrator(id: $id) }`);

const REVOKE = graphql(`mutation ConsoleRevokeInvitation($id: Int!) { deleteAdministratorInvitation(id: $id) }`);

type Person = ResultOf<typeof LIST>['administrators'][number];
type AssignedRole = { applicationId: number | null; role: Role };

const queryKey = ['administrators'];

export function AdministratorsPage() {
  const me = useMe();
  const [isOpen, { open, close }] = useOpenInAddress('create');
  const [edited, setEdited] = useState<Person>();
  const queries = useQueryClient();
  const people = useQuery({
    queryKey,
    queryFn: ({ signal }) => query(SERVICE, LIST, {}, signal),
  });
  const remove = useMutation({
    mutationFn: (id: number) => mutate(SERVICE, DELETE, { id }),
    onSettled: () => queries.invalidateQueries({ queryKey }),
  });
  const revoke = useMutation({
    mutationFn: (id: number) => mutate(SERVICE, REVOKE, { id }),
    onSettled: () => queries.invalidateQueries({ queryKey }),
  });
  return (
    <Page
      title={t`Administrators`}
      description={t`People who use the console, and what they may do.`}
      actions={
        <>
          {ownsAll(me) && <Button variant="default" component={Link} to="/administrators/audit">{t`Audit log`}</Button>}
          <Button onClick={open}>{t`Invite a person`}</Button>
        </>
      }
    >
      <Loaded of={people}>
        {({ administrators, administratorInvitations }) => (
          <Table verticalSpacing="sm" className="stacked">
            <Heads of={[t`Name`, t`Roles`, t`Protection`, t`Signed in`]} hasActions />
            <Table.Tbody>
              {administrators.map((person) => (
                <Table.Tr key={person.id}>
                  <WhoAndRoles {...person} />
                  <Table.Td>{protectionOf(person)}</Table.Td>
                  <Table.Td>
                    <Time of={person.signedInAt} />
                  </Table.Td>
                  <Table.Td>
                    <Group gap="xs" justify="flex-end" wrap="nowrap">
                      <Button size="xs" variant="default" onClick={() => setEdited(person)}>{t`Roles`}</Button>
                      {ownsAll(me) && person.id !== me.id && (
                        <ConfirmButton
                          label={t`Delete`}
                          question={t`Delete ${person.name}? Their sessions end at once.`}
                          onConfirm={() => remove.mutate(person.id)}
                        />
                      )}
                    </Group>
                  </Table.Td>
                </Table.Tr>
              ))}
              {administratorInvitations.map((invitation) => (
                <Table.Tr key={`invitation ${invitation.id}`}>
                  <WhoAndRoles {...invitation} />
                  <Table.Td colSpan={2}>
                    <Text size="sm" c="dimmed">
                      <Trans>
                        Invited until <Time of={invitation.expiresAt} />
                      </Trans>
                    </Text>
                  </Table.Td>
                  <Table.Td>
                    <Group justify="flex-end">
                      <ConfirmButton
                        label={t`Revoke`}
                        question={t`Revoke the invitation of ${invitation.name}? Its link then no longer works.`}
                        onConfirm={() => revoke.mutate(invitation.id)}
                      />
                    </Group>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
      </Loaded>
      <Modal opened={isOpen} onClose={close} title={t`Invite a person`} closeOnClickOutside={false}>
        <InviteForm onClose={close} />
      </Modal>
      <Modal
        opened={edited !== undefined}
        onClose={() => setEdited(undefined)}
        title={t`Roles of ${edited?.name ?? ''}`}
      >
        {edited && <RolesForm person={edited} onClose={() => setEdited(undefined)} />}
      </Modal>
    </Page>
  );
}

const NAMES: Record<Role, string> = {
  OWNER: t`Owner`,
  DEVELOPER: t`Developer`,
  SUPPORT: t`Support`,
  VIEWER: t`Viewer`,
};

function WhoAndRoles({ name, email, roles }: Pick<Person, 'name' | 'email' | 'roles'>) {
  return (
    <>
      <Table.Td>
        <Text fw={600}>{name}</Text>
        <Text size="sm" c="dimmed">
          {email}
        </Text>
      </Table.Td>
      <Table.Td>
        <RoleNames roles={roles as AssignedRole[]} />
      </Table.Td>
    </>
  );
}

/** Besides the password. */
function protectionOf({ hasTotp, passkeyCount }: Person): string {
  const passkeys = plural(passkeyCount, { one: '# passkey', other: '# passkeys' });
  const all = [hasTotp && t`Authenticator app`, passkeyCount > 0 && passkeys].filter(Boolean);
  return all.length === 0 ? t`Password only` : all.join(', ');
}

function RoleNames({ roles }: { roles: readonly AssignedRole[] }) {
  const { data: applications = [] } = useQuery(applicationsQuery);
  const nameOf = (id: number) => applications.find((one) => one.id === id)?.name ?? t`application ${id}`;
  return (
    <Group gap={4}>
      {roles.map(({ applicationId, role }) => (
        <Status key={`${applicationId} ${role}`}>
          {applicationId === null ? t`${NAMES[role]} of all` : t`${NAMES[role]} of ${nameOf(applicationId)}`}
        </Status>
      ))}
    </Group>
  );
}

interface RoleSelectProps {
  value: string[];
  onChange: (value: string[]) => void;
  required?: boolean;
}

/** Roles as `OWNER` (of all applications) or `SUPPORT 7`. */
function RoleSelect({ value, onChange, required = false }: RoleSelectProps) {
  const me = useMe();
  const { data: applications = [] } = useQuery(applicationsQuery);
  const groups = [
    ...(ownsAll(me) ? [{ id: null, name: t`All applications` }] : []),
    ...applications.map(({ id, name }) => ({ id, name })),
  ];
  const data = groups.map(({ id, name }) => ({
    group: name,
    items: Object.entries(NAMES).map(([role, label]) => ({
      value: id === null ? role : `${role} ${id}`,
      label: id === null ? t`${label} of all` : t`${label} of ${name}`,
    })),
  }));
  return <MultiSelect label={t`Roles`} data={data} value={value} onChange={onChange} searchable required={required} />;
}

function rolesOf(values: string[]): AssignedRole[] {
  return values.map((value) => {
    const [role, id] = value.split(' ');
    return { role: role as Role, applicationId: id === undefined ? null : Number(id) };
  });
}

function InviteForm({ onClose }: { onClose: () => void }) {
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [roles, setRoles] = useState<string[]>([]);
  const queries = useQueryClient();
  const invite = useMutation({
    mutationFn: async () =>
      (await mutate(SERVICE, INVITE, { input: { email, name, roles: rolesOf(roles) } })).inviteAdministrator,
    onSuccess: () => queries.invalidateQueries({ queryKey }),
  });
  if (invite.data) {
    const { isMailed, url } = invite.data;
    return (
      <Stack>
        <Text>{outcomeOf(email, isMailed, url !== null)}</Text>
        {url !== null && <Copyable label={t`Link`} value={url} />}
        <Button onClick={onClose}>{t`Close`}</Button>
      </Stack>
    );
  }
  return (
    <Form
      onSubmit={() => invite.mutate()}
      action={t`Invite`}
      isPending={invite.isPending}
      isDisabled={roles.length === 0}
      onCancel={onClose}
    >
      <TextInput label={t`Email address`} type="email" {...textProps(email, setEmail)} data-autofocus required />
      <TextInput label={t`Name`} {...textProps(name, setName)} required />
      <RoleSelect value={roles} onChange={setRoles} required />
    </Form>
  );
}

function outcomeOf(email: string, isMailed: boolean, hasLink: boolean): string {
  if (isMailed) return t`An invitation was sent to ${email}. The link is valid for seven days.`;
  return hasLink
    ? t`The mail could not be sent. Pass this link on yourself; it is valid for seven days.`
    : t`The mail could not be sent. Ask an owner of all applications to invite the person.`;
}

function RolesForm({ person: { id, roles }, onClose }: { person: Person; onClose: () => void }) {
  const [value, setValue] = useState(
    roles.map(({ role, applicationId }) => (applicationId === null ? role : `${role} ${applicationId}`)),
  );
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: () => mutate(SERVICE, UPDATE, { id, input: { roles: rolesOf(value) } }),
    onSuccess: () => {
      onClose();
      void queries.invalidateQueries({ queryKey });
    },
  });
  return (
    <Form onSubmit={() => save.mutate()} action={t`Save`} isPending={save.isPending} onCancel={onClose}>
      <RoleSelect value={value} onChange={setValue} />
    </Form>
  );
}
