import { graphql } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Button, Card, Group, Menu, Pill, Text, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { hasRole, useMe } from '../app/administrator.ts';
import { mutate } from '../app/clients.ts';
import { useRoles } from '../app/roles.ts';
import { Status } from '../ui/status.tsx';

const ASSIGN = graphql(`mutation ConsoleAssignRole($userId: Int!, $role: String!) {
  assignRole(userId: $userId, role: $role) { id }
}`);
const REVOKE = graphql(`mutation ConsoleRevokeRole($userId: Int!, $role: String!) {
  revokeRole(userId: $userId, role: $role) { id }
}`);

interface UserRolesProps {
  application: number;
  id: number;
  roles: readonly string[];
}

/** Roles of a user, which support can assign and revoke. */
export function UserRoles({ application, id: userId, roles }: UserRolesProps) {
  const mayAssign = hasRole(useMe(), ['SUPPORT'], application);
  const { data: all = [] } = useRoles(application);
  const others = all.filter(({ name }) => !roles.includes(name));
  const queries = useQueryClient();
  const onSuccess = () => {
    void queries.invalidateQueries({ queryKey: [application, 'users'] });
    return queries.invalidateQueries({ queryKey: [application, 'user', userId] });
  };
  const assign = useMutation({
    mutationFn: (role: string) => mutate({ application }, ASSIGN, { userId, role }),
    onSuccess,
  });
  const revoke = useMutation({
    mutationFn: (role: string) => mutate({ application }, REVOKE, { userId, role }),
    onSuccess,
  });
  if (all.length === 0 && roles.length === 0) return null;
  return (
    <Card withBorder component="section" aria-labelledby="user-roles">
      <Group justify="space-between" align="flex-start" mb="sm">
        <Title order={2} size="h4" id="user-roles">{t`Roles`}</Title>
        {mayAssign && others.length > 0 && (
          <Menu position="bottom-end">
            <Menu.Target>
              <Button size="xs" variant="default" loading={assign.isPending}>{t`Assign role`}</Button>
            </Menu.Target>
            <Menu.Dropdown>
              {others.map(({ name }) => (
                <Menu.Item key={name} onClick={() => assign.mutate(name)}>
                  {name}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
        )}
      </Group>
      {roles.length === 0 && <Text c="dimmed">{t`No roles.`}</Text>}
      <Group gap="xs">
        {roles.map((role) =>
          mayAssign ? (
            <Pill
              key={role}
              withRemoveButton
              removeButtonProps={{ 'aria-label': t`Revoke ${role}`, 'aria-hidden': false, tabIndex: 0 }}
              onRemove={() => revoke.mutate(role)}
            >
              {role}
            </Pill>
          ) : (
            <Status key={role}>{role}</Status>
          ),
        )}
      </Group>
    </Card>
  );
}
