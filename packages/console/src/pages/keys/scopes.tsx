import { t } from '@lingui/core/macro';
import { Checkbox, Group, Select, Stack, Table, Text } from '@mantine/core';
import { useClassNames } from '../../app/class-names.ts';
import { Heads } from '../../ui/heads.tsx';
import { CHOICE } from '../records/permissions.tsx';

/** The only scope of a key without restrictions. */
export const EVERYTHING = '*';
const SEND = 'pushes:send';

/** What follows is granted by `*:read` and `*:write`, too. */
const ALL_GROUPS = '*';

const GROUPS: Record<string, { name: string; what: string }> = {
  [ALL_GROUPS]: { name: t`All groups`, what: t`also those of later versions` },
  users: { name: t`Users`, what: t`sessions, roles, sign-up, blocking` },
  dialogs: { name: t`Dialogs`, what: t`occupants, notifications` },
  messages: { name: t`Messages`, what: t`marks, reactions, live events` },
  records: { name: t`Records`, what: t`of all classes` },
  classes: { name: t`Classes`, what: t`fields and permissions` },
  pushes: { name: t`Pushes`, what: t`devices, deliveries` },
  files: { name: t`Files`, what: t`uploads and downloads` },
  contacts: { name: t`Contacts`, what: t`address books` },
  geodata: { name: t`Places`, what: t`of users` },
  ai: { name: t`Models`, what: t`assistants, summaries, translations` },
  settings: { name: t`Settings`, what: t`providers, mails, figures` },
};

const VERBS = { read: t`Read`, write: t`Write` } as const;
type Verb = keyof typeof VERBS;

/** Splits `users:*` into `users:read` and `users:write`. */
export function splitScopes(scopes: readonly string[]): string[] {
  return scopes.flatMap((scope) => {
    if (scope === EVERYTHING) return [];
    const own = scope.replace(/^records:\*:/, 'records:');
    return own.endsWith(':*') ? [`${own.slice(0, -1)}read`, `${own.slice(0, -1)}write`] : [own];
  });
}

/** The reverse of `splitScopes`. */
export function joinScopes(scopes: readonly string[]): string[] {
  const isPair = (target: string) => ['read', 'write'].every((verb) => scopes.includes(`${target}:${verb}`));
  return [
    ...new Set(
      scopes.map((scope) => {
        const target = scope.slice(0, scope.lastIndexOf(':'));
        return scope !== SEND && isPair(target) ? `${target}:*` : scope;
      }),
    ),
  ];
}

interface ScopeInputsProps {
  application: number;
  /** As `splitScopes` returns them. */
  value: readonly string[];
  onChange: (scopes: string[]) => void;
}

/** One row for each group and class, one column for reading and one for writing. */
export function ScopeInputs({ application, value, onChange }: ScopeInputsProps) {
  const classes = useClassNames(application);
  const chosen = [...new Set(value.flatMap((scope) => /^records:([^:]+):/.exec(scope)?.[1] ?? []))];
  const toggle = (scope: string) => (event: { currentTarget: { checked: boolean } }) =>
    onChange(event.currentTarget.checked ? [...value, scope] : value.filter((other) => other !== scope));
  const box = (target: string, name: string, verb: Verb) => {
    const scope = `${target}:${verb}`;
    const above = [ALL_GROUPS, ...(target.includes(':') ? ['records'] : [])].filter((other) => other !== target);
    const isImplied = above.some((other) => value.includes(`${other}:${verb}`));
    return (
      <Checkbox
        aria-label={`${name}: ${VERBS[verb]}`}
        label={VERBS[verb]}
        classNames={CHOICE}
        checked={isImplied || value.includes(scope)}
        disabled={isImplied}
        onChange={toggle(scope)}
      />
    );
  };
  const rows = Object.entries(GROUPS).flatMap(([target, { name, what }]) => [
    { target, name, what },
    ...(target === 'records'
      ? chosen.map((one) => ({ target: `records:${one}`, name: t`Records of ${one}`, what: '' }))
      : []),
  ]);
  const canSendAnyway = [`${ALL_GROUPS}:write`, 'pushes:write'].some((scope) => value.includes(scope));
  return (
    <Stack gap="xs">
      <Table className="stacked" verticalSpacing={6} aria-label={t`Scopes`}>
        <Heads of={[t`Group`, ...Object.values(VERBS)]} />
        <Table.Tbody>
          {rows.map(({ target, name, what }) => (
            <Table.Tr key={target}>
              <Table.Th scope="row">
                {name}{' '}
                <Text span size="xs" c="dimmed">
                  {what}
                </Text>
              </Table.Th>
              <Table.Td className="choice">{box(target, name, 'read')}</Table.Td>
              <Table.Td className="choice">
                <Group gap="md">
                  {box(target, name, 'write')}
                  {target === 'pushes' && (
                    <Checkbox
                      label={t`only send`}
                      checked={canSendAnyway || value.includes(SEND)}
                      disabled={canSendAnyway}
                      onChange={toggle(SEND)}
                    />
                  )}
                </Group>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Select
        label={t`Limit to a class`}
        placeholder={t`Adds a row for the records of the class`}
        data={classes.filter((name) => !chosen.includes(name))}
        value={null}
        onChange={(name) => name && onChange([...value, `records:${name}:read`])}
        searchable
        nothingFoundMessage={t`No class found`}
      />
    </Stack>
  );
}
