import { plural, t } from '@lingui/core/macro';
import { Pill, Radio, Stack, Table, TagsInput, Text } from '@mantine/core';
import { groupOfRole, roleOf, useRoles } from '../../app/roles.ts';
import { useTags } from '../../app/tags.ts';
import { UsersSelect } from '../../ui/user-select.tsx';
import type { RecordClass } from './documents.ts';
import type { OpenedRecord } from './record-panel.tsx';

type Permissions = RecordClass['permissions'];
export type Action = 'create' | 'read' | 'update' | 'delete';
type Access = Permissions['read']['access'];

/** Groups are tags of users, or roles; ids are digits. */
interface ActionForm {
  access: Access;
  groups: string[];
  ids: string[];
}

export type PermissionForm = Record<Action, ActionForm>;

export const ACTIONS: readonly Action[] = ['create', 'read', 'update', 'delete'];

export const TITLES: Record<Action, string> = {
  create: t`Create`,
  read: t`Read`,
  update: t`Change`,
  delete: t`Delete`,
};

const NAMES: Record<Access, string> = {
  OPEN: t`All users`,
  OPEN_FOR_GROUPS: t`Groups`,
  OPEN_FOR_USERS_IDS: t`Selected users`,
  OWNER: t`Owner`,
  NOT_ALLOWED: t`API keys only`,
};

/** The service's defaults for a new class. */
const DEFAULTS: Record<Action, Access> = { create: 'OPEN', read: 'OPEN', update: 'OWNER', delete: 'OWNER' };

export function permissionForm(stored: Permissions | undefined): PermissionForm {
  const formOf = (action: Action): ActionForm => {
    const { access, groups, ids } = stored?.[action] ?? { access: DEFAULTS[action], groups: null, ids: null };
    return { access, groups: groups ?? [], ids: (ids ?? []).map(String) };
  };
  return Object.fromEntries(ACTIONS.map((action) => [action, formOf(action)])) as PermissionForm;
}

export function permissionInput(form: PermissionForm, actions: readonly Action[] = ACTIONS) {
  return Object.fromEntries(
    actions.map((action) => {
      const { access, groups, ids } = form[action];
      return [
        action,
        {
          access,
          ...(access === 'OPEN_FOR_GROUPS' && { groups }),
          ...(access === 'OPEN_FOR_USERS_IDS' && { ids: ids.map(Number) }),
        },
      ];
    }),
  );
}

/** In tables, whose header labels the columns except on phones. */
export const CHOICE = { labelWrapper: 'only-on-phones' };

interface PermissionInputsProps {
  application: number;
  /** Those of a record have no `create`, and cannot be limited to API keys. */
  actions?: readonly Action[];
  value: PermissionForm;
  onChange: (value: PermissionForm) => void;
}

/** One row for each action, one column for each answer to "who may", and a sentence. */
export function PermissionInputs({ application, actions = ACTIONS, value, onChange }: PermissionInputsProps) {
  const tags = useTags(application);
  const { data: roles = [] } = useRoles(application);
  const isOfClass = actions === ACTIONS;
  const columns = (Object.keys(NAMES) as Access[]).filter((access) => isOfClass || access !== 'NOT_ALLOWED');
  return (
    <Stack gap="xs">
      <Table className="stacked" verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th />
            {columns.map((access) => (
              <Table.Th key={access}>{NAMES[access]}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {actions.map((action) => (
            <Table.Tr key={action}>
              <Table.Th scope="row">{TITLES[action]}</Table.Th>
              {columns.map((access) => (
                <Table.Td key={access} className="choice">
                  {(action !== 'create' || access !== 'OWNER') && (
                    <Radio
                      aria-label={`${TITLES[action]}: ${NAMES[access]}`}
                      label={NAMES[access]}
                      classNames={CHOICE}
                      name={`access-${action}`}
                      checked={value[action].access === access}
                      onChange={() => onChange({ ...value, [action]: { ...value[action], access } })}
                    />
                  )}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {actions.map((action) => {
        const { access, groups, ids } = value[action];
        const set = (change: Partial<ActionForm>) => onChange({ ...value, [action]: { ...value[action], ...change } });
        if (access === 'OPEN_FOR_GROUPS')
          return (
            <TagsInput
              key={action}
              label={t`${TITLES[action]}: groups`}
              description={t`A group is a role, or a tag of its users. Suggested are roles, and tags of the newest users.`}
              data={[
                { group: t`Roles`, items: roles.map(({ name }) => groupOfRole(name)) },
                { group: t`Tags`, items: tags },
              ].filter(({ items }) => items.length > 0)}
              renderOption={({ option }) => nameOfGroup(option.value)}
              renderPill={({ option, onRemove, disabled = false }) => (
                <Pill withRemoveButton={!disabled} onRemove={onRemove} disabled={disabled}>
                  {nameOfGroup(String(option.value))}
                </Pill>
              )}
              comboboxProps={{ zIndex: 500 }}
              acceptValueOnBlur
              value={groups}
              onChange={(chosen) => set({ groups: chosen })}
            />
          );
        if (access === 'OPEN_FOR_USERS_IDS')
          return (
            <UsersSelect
              key={action}
              application={application}
              label={t`${TITLES[action]}: users`}
              value={ids}
              onChange={(chosen) => set({ ids: chosen })}
              comboboxProps={{ zIndex: 500 }}
            />
          );
        return null;
      })}
      <Text size="sm" c="dimmed" component="div">
        {actions.map((action) => (
          <div key={action}>{sentenceOf(action, value[action])}</div>
        ))}
      </Text>
    </Stack>
  );
}

const WHAT: Record<Action, string> = {
  create: t`create records`,
  read: t`read`,
  update: t`change`,
  delete: t`delete`,
};

/** For example "Role: editor"; tags have only their name. */
function nameOfGroup(group: string): string {
  const role = roleOf(group);
  return role === undefined ? group : t`Role: ${role}`;
}

/** For example "Users with the role editor or one of the tags staff, admin". */
function membersOf(groups: readonly string[]): string {
  const roles = groups.flatMap((group) => roleOf(group) ?? []);
  const tags = groups.filter((group) => roleOf(group) === undefined).join(', ');
  const role = roles.join(', ');
  if (roles.length === 0) return t`Users with one of the tags ${tags}`;
  const withRole = plural(roles.length, {
    one: `Users with the role ${role}`,
    other: `Users with one of the roles ${role}`,
  });
  return tags === '' ? withRole : t`${withRole} or one of the tags ${tags}`;
}

/** What a permission means, for example "All users may read". */
export function sentenceOf(action: Action, { access, groups, ids }: ActionForm): string {
  const what = WHAT[action];
  switch (access) {
    case 'OPEN':
      return action === 'read' ? t`All users, and sessions without a user, may read.` : t`All users may ${what}.`;
    case 'OWNER':
      return t`Only the owner may ${what}.`;
    case 'OPEN_FOR_GROUPS':
      return groups.length === 0
        ? t`Choose the groups that may ${what}.`
        : t`${membersOf(groups)}, and the owner, may ${what}.`;
    case 'OPEN_FOR_USERS_IDS':
      return ids.length === 0
        ? t`Choose the users who may ${what}.`
        : t`The users ${ids.join(', ')}, and the owner, may ${what}.`;
    case 'NOT_ALLOWED':
      return t`No user may ${what}, only API keys.`;
  }
}

export interface Reader {
  id: number;
  /** Tags that count as groups. */
  groups: readonly string[];
}

/** Whether a user may do something with a record by its permissions, and why. */
export function reasonOf(
  action: Exclude<Action, 'create'>,
  ofClass: Permissions[Action],
  record: Pick<OpenedRecord, 'userId' | 'permissions'>,
  user: Reader,
): { isAllowed: boolean; reason: string } {
  const { access, groups, ids } = record.permissions?.[action] ?? ofClass;
  if (ofClass.access === 'NOT_ALLOWED') return { isAllowed: false, reason: t`the class permits it to API keys only.` };
  if (record.userId === user.id) return { isAllowed: true, reason: t`the user owns the record.` };
  const shared = (groups ?? []).filter((group) => user.groups.includes(group));
  switch (access) {
    case 'OPEN':
      return { isAllowed: true, reason: t`it is open to all users.` };
    case 'OPEN_FOR_GROUPS':
      return shared.length > 0
        ? { isAllowed: true, reason: t`the user is in the group ${shared.map(nameOfGroup).join(', ')}.` }
        : {
            isAllowed: false,
            reason: t`the user is in none of the groups ${(groups ?? []).map(nameOfGroup).join(', ')}.`,
          };
    case 'OPEN_FOR_USERS_IDS':
      return (ids ?? []).includes(user.id)
        ? { isAllowed: true, reason: t`the record lists the user.` }
        : { isAllowed: false, reason: t`the record does not list the user.` };
    default:
      return { isAllowed: false, reason: t`only its owner may.` };
  }
}
