import { t } from '@lingui/core/macro';
import { Group, Select, Stack, TagsInput } from '@mantine/core';
import type { RecordClass } from './documents.ts';

type Permissions = RecordClass['permissions'];
type Action = 'create' | 'read' | 'update' | 'delete';
type Access = Permissions['read']['access'];

/** Groups are tags of users; ids are digits. */
interface ActionForm {
  access: Access;
  groups: string[];
  ids: string[];
}

export type PermissionForm = Record<Action, ActionForm>;

const ACTIONS: readonly Action[] = ['create', 'read', 'update', 'delete'];

const TITLES: Record<Action, string> = {
  create: t`Create records`,
  read: t`Read records`,
  update: t`Change records`,
  delete: t`Delete records`,
};

const NAMES: Record<Access, string> = {
  OPEN: t`All users`,
  OWNER: t`The owner of the record`,
  OPEN_FOR_GROUPS: t`Groups of users`,
  OPEN_FOR_USERS_IDS: t`Selected users`,
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

export function permissionInput(form: PermissionForm) {
  return Object.fromEntries(
    ACTIONS.map((action) => {
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

interface PermissionInputsProps {
  value: PermissionForm;
  onChange: (value: PermissionForm) => void;
}

export function PermissionInputs({ value, onChange }: PermissionInputsProps) {
  return (
    <Stack gap="xs">
      {ACTIONS.map((action) => {
        const { access, groups, ids } = value[action];
        const set = (change: Partial<ActionForm>) => onChange({ ...value, [action]: { ...value[action], ...change } });
        const choices = (Object.keys(NAMES) as Access[]).filter((one) => action !== 'create' || one !== 'OWNER');
        return (
          <Group key={action} align="flex-end" grow preventGrowOverflow={false}>
            <Select
              label={TITLES[action]}
              data={choices.map((one) => ({ value: one, label: NAMES[one] }))}
              value={access}
              onChange={(chosen) => chosen && set({ access: chosen as Access })}
              allowDeselect={false}
              comboboxProps={{ zIndex: 500 }}
            />
            {access === 'OPEN_FOR_GROUPS' && (
              <TagsInput label={t`Groups`} value={groups} onChange={(chosen) => set({ groups: chosen })} />
            )}
            {access === 'OPEN_FOR_USERS_IDS' && (
              <TagsInput
                label={t`Ids of users`}
                value={ids}
                onChange={(chosen) => set({ ids: chosen.filter((id) => /^\d{1,10}$/.test(id)) })}
              />
            )}
          </Group>
        );
      })}
    </Stack>
  );
}
