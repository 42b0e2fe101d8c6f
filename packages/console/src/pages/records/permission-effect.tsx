import { graphql, type ResultOf, type VariablesOf } from '@atrium/client';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { query } from '../../app/clients.ts';
import { Notice } from '../../ui/notice.tsx';
import { Loaded } from '../../ui/page.tsx';
import type { RecordClass } from './documents.ts';
import { ACTIONS, type PermissionForm, permissionForm, permissionInput, TITLES } from './permissions.tsx';

const CHANGES = graphql(`query ConsolePermissionChanges($className: String!, $permissions: ClassPermissionsInput!) {
  permissionChanges(className: $className, permissions: $permissions) { action gained lost }
}`);

type Permissions = VariablesOf<typeof CHANGES>['permissions'];
type Change = ResultOf<typeof CHANGES>['permissionChanges'][number];

const PAUSE_MS = 400;
const NAMES = { CREATE: TITLES.create, READ: TITLES.read, UPDATE: TITLES.update, DELETE: TITLES.delete };

interface PermissionEffectProps {
  application: number;
  existing: RecordClass;
  form: PermissionForm;
}

/** How many users a changed form gives or takes what, before it is saved. */
export function PermissionEffect({ application, existing, form }: PermissionEffectProps) {
  const { name: className } = existing;
  const [settled] = useDebouncedValue(form, PAUSE_MS);
  const stored = permissionForm(existing.permissions);
  const changed = ACTIONS.filter((action) => {
    const [now, next] = [stored, settled].map((one) => JSON.stringify(permissionInput(one, [action])));
    return now !== next && isComplete(settled[action]);
  });
  const permissions = permissionInput(settled, changed) as Permissions;
  const changes = useQuery({
    queryKey: [application, 'permission-changes', className, permissions],
    queryFn: async ({ signal }) =>
      (await query({ application }, CHANGES, { className, permissions }, signal)).permissionChanges,
    enabled: changed.length > 0,
    placeholderData: keepPreviousData,
  });
  return (
    <div role="status">
      {changed.length > 0 && !changes.isPending && (
        <Notice title={t`What saving changes`}>
          <Loaded of={changes}>
            {(rows) =>
              rows.map((row) => (
                <Text key={row.action} size="sm">
                  {sentenceFor(row)}
                </Text>
              ))
            }
          </Loaded>
          <Text size="sm" c="dimmed">
            <Trans>
              Counted are users who do not own the record. Existing records keep their permissions, except that “API
              keys only” applies to them, too.
            </Trans>
          </Text>
        </Notice>
      )}
    </div>
  );
}

/** Whether the groups or users of the choice are named. */
const isComplete = ({ access, groups, ids }: PermissionForm[keyof PermissionForm]) =>
  !(access === 'OPEN_FOR_GROUPS' && groups.length === 0) && !(access === 'OPEN_FOR_USERS_IDS' && ids.length === 0);

/** For example "Read: 3 users gain it, 40 users lose it". */
function sentenceFor({ action, gained, lost }: Change): string {
  const effects = [
    ...(gained > 0 ? [plural(gained, { one: '# user gains it', other: '# users gain it' })] : []),
    ...(lost > 0 ? [plural(lost, { one: '# user loses it', other: '# users lose it' })] : []),
  ];
  return `${NAMES[action]}: ${effects.length === 0 ? t`no user gains or loses it` : effects.join(', ')}`;
}
