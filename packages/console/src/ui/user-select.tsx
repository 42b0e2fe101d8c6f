import { graphql } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Pill, Select, type SelectProps, Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { query } from '../app/clients.ts';
import { nameOf, useUserNames } from '../app/user-names.ts';
import { idOf, userFilterOf } from '../app/user-search.ts';

const USERS = graphql(`query ConsoleChooseUser($filter: UserFilter) {
  users(filter: $filter, first: 8, orderBy: { field: ID, direction: DESC }) {
    edges { node { id login email fullName } }
  }
}`);
const PAUSE_MS = 250;

interface UserSelectProps extends Omit<SelectProps, 'data' | 'value' | 'onChange'> {
  application: number;
  /** Id of a user; any other text is no user. */
  value: string | undefined;
  onChange: (user: string | undefined) => void;
}

/** Finds a user by name, login, email address or id. Roles that may not list users type an id. */
export function UserSelect({ application, value, onChange, ...props }: UserSelectProps) {
  const [typed, setTyped] = useState('');
  const [isOpen, setOpen] = useState(false);
  const id = idOf(value);
  const nameOfId = useUserNames(application, id === undefined ? [] : [id]);
  const chosen = id === undefined ? undefined : { value: String(id), label: nameOfId(id) };
  const [search] = useDebouncedValue(typed === chosen?.label ? '' : typed.trim(), PAUSE_MS);
  const found = useQuery({
    queryKey: [application, 'choose-user', search],
    queryFn: async ({ signal }) =>
      (await query({ application }, USERS, { filter: userFilterOf(search) }, signal)).users.edges,
    enabled: isOpen,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
  const users = (found.data ?? []).map(({ node }) => ({ value: String(node.id), label: nameOf(node) }));
  const typedId = idOf(typed.trim());
  const byId = typedId === undefined ? [] : [{ value: String(typedId), label: t`User ${typedId}` }];
  const options = [...users, ...byId, ...(chosen ? [chosen] : [])];
  return (
    <Select
      placeholder={t`Name or id`}
      {...props}
      data={[...new Map(options.toReversed().map((option) => [option.value, option])).values()].toReversed()}
      value={chosen?.value ?? null}
      onChange={(user) => {
        setTyped('');
        onChange(user ?? undefined);
      }}
      searchable
      searchValue={typed}
      clearable
      onSearchChange={setTyped}
      onDropdownOpen={() => setOpen(true)}
      filter={({ options: all }) => all}
      renderOption={({ option }) => (
        <>
          {option.label}&nbsp;<span className="soft">{option.value}</span>
        </>
      )}
      nothingFoundMessage={found.isFetching ? t`Searching …` : t`No user found`}
    />
  );
}

interface UsersSelectProps extends Omit<UserSelectProps, 'value' | 'onChange'> {
  /** Ids. */
  value: readonly string[];
  onChange: (users: string[]) => void;
}

/** Several users. */
export function UsersSelect({ application, value, onChange, ...props }: UsersSelectProps) {
  const nameOfId = useUserNames(application, value.map(Number));
  return (
    <Stack gap="xs">
      <UserSelect
        application={application}
        value={undefined}
        onChange={(user) => user !== undefined && onChange([...new Set([...value, user])])}
        {...props}
      />
      {value.length > 0 && (
        <Pill.Group>
          {value.map((id) => (
            <Pill
              key={id}
              withRemoveButton
              removeButtonProps={{ 'aria-label': t`Remove ${nameOfId(Number(id))}`, 'aria-hidden': false, tabIndex: 0 }}
              onRemove={() => onChange(value.filter((other) => other !== id))}
            >
              {nameOfId(Number(id))}
            </Pill>
          ))}
        </Pill.Group>
      )}
    </Stack>
  );
}
