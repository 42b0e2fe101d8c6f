import { t } from '@lingui/core/macro';
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { mutate, query } from '../../app/clients.ts';
import { groupOfRole } from '../../app/roles.ts';
import { Footer, submitting } from '../../ui/form.tsx';
import { Loaded } from '../../ui/page.tsx';
import { UserSelect } from '../../ui/user-select.tsx';
import { RECORD, type RecordClass, UPDATE_RECORD, USER_TAGS } from './documents.ts';
import { type Action, PermissionInputs, permissionForm, permissionInput, reasonOf } from './permissions.tsx';
import type { OpenedRecord } from './record-panel.tsx';
import type { View } from './view.ts';

const ACTIONS = ['read', 'update', 'delete'] as const satisfies readonly Action[];

interface RecordAccessProps {
  view: View;
  definition: RecordClass;
  record: OpenedRecord;
  onDone: () => void;
}

/** Who may do what with a record, and why. */
export function RecordAccess({ view, definition, record, onDone }: RecordAccessProps) {
  const stored = { ...definition.permissions, ...record.permissions };
  const [form, setForm] = useState(() => permissionForm(stored));
  const save = useMutation({
    mutationFn: () => {
      const { application, className, onBehalfOf } = view;
      const permissions = permissionInput(form, ACTIONS);
      return mutate({ application, onBehalfOf }, UPDATE_RECORD, { className, id: record.id, input: { permissions } });
    },
    onSuccess: onDone,
  });
  return (
    <Stack>
      <PermissionInputs application={view.application} actions={ACTIONS} value={form} onChange={setForm} />
      <Footer>
        <Button onClick={() => save.mutate()} loading={save.isPending}>{t`Save permissions`}</Button>
      </Footer>
      <Check view={view} definition={definition} record={record} />
    </Stack>
  );
}

/** Answers for one user. */
function Check({ view, definition, record }: Omit<RecordAccessProps, 'onDone'>) {
  const [id, setId] = useState<string>();
  const [asked, setAsked] = useState<number>();
  const answer = useQuery({
    queryKey: [view.application, 'record-access', view.className, record.id, asked, record.updatedAt],
    enabled: asked !== undefined,
    queryFn: async ({ signal }) => {
      const { application, className } = view;
      const { user, application: settings } = await query({ application }, USER_TAGS, { id: asked! }, signal);
      // The service itself says whether the user may read it.
      const seen = await query({ application, onBehalfOf: asked }, RECORD, { className, id: record.id }, signal);
      const tags = settings.groups === 'GRANTED' ? user.grantedTags : user.tags;
      const groups = [...tags, ...user.roles.map(groupOfRole)];
      const name = user.fullName || user.login || String(user.id);
      return { user: { id: user.id, name, groups }, mayRead: seen.recordsById.records.length > 0 };
    },
  });
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">{t`May a user read it?`}</Title>
      <form onSubmit={submitting(() => setAsked(Number(id)))}>
        <Group align="flex-end">
          <UserSelect application={view.application} label={t`User`} value={id} onChange={setId} required />
          <Button type="submit" variant="default" loading={answer.isFetching}>{t`Check`}</Button>
        </Group>
      </form>
      {asked !== undefined && (
        <Loaded of={answer}>
          {({ user, mayRead }) => (
            <div role="status">
              {ACTIONS.map((action) => {
                const { isAllowed, reason } = reasonOf(action, definition.permissions[action], record, user);
                const may = action === 'read' ? mayRead : isAllowed;
                return (
                  <Text key={action} size="sm">
                    {may ? t`${user.name} may` : t`${user.name} may not`} {ACTION_VERBS[action]} {reason}
                  </Text>
                );
              })}
            </div>
          )}
        </Loaded>
      )}
    </Stack>
  );
}

const ACTION_VERBS = { read: t`read it:`, update: t`change it:`, delete: t`delete it:` };
