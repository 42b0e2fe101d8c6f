import { graphql } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Select, type SelectProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { query } from '../app/clients.ts';
import { nameOf, useUserNames } from '../app/user-names.ts';
import { userFilterOf } from '../app/user-search.ts';

const USERS = graphql(`query ConsoleChooseUser($filter: UserFilter) {
  users(filter: $filter, first: 8, orderBy: { field: ID, direction: DESC }) {
    edges { node { id login email fullName } }
  }
}`);
const PAUSE_MS = 250;

/** The id of a user in the address, which is untrusted. @returns undefined for none */
export function readUserId(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}

interface UserSelectProps extends Omit<SelectProps, 'data' | 'value' | 'onChange'> {
  application: number;
  /** Id of a user. */
  value: string | undefined;
  onChange: (user: string | undefined) => void;
}

/** Finds a user by name, login, email address or id. Roles that may not list users type an id. */
export function UserSelect({ application, value, onChange, ...props }: UserSelectProps) {
  const [typed, setTyped] = useState('');
  const [isOpen, setOpen] = useState(false);
  const nameOfId = useUserNames(application, value === undefined ? [] : [readUserId(value) ?? 0]);
  const chosen = value === undefined ? undefined : { value, label: nameOfId(readUserId(value) ?? 0) };
  const [search] = useDebouncedValue(typed === chosen?.label ? '' : typed.trim(), PAUSE_MS);
  const found = useQuery({
    queryKey: [application, 'choose-user', search],
    queryFn: async ({ signal }) =>
      (await query({ application }, USERS, { filter: userFilterOf(search) }, signal)).users.edges,
    enabled: isOpen,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    retry: false,
  });
  const users = (found.data ?? []).map(({ node }) => ({ value: String(node.id), label: nameOf(node) }));
  const byId = readUserId(typed.trim()) === undefined ? [] : [{ value: typed.trim(), label: t`User ${typed.trim()}` }];
  const options = [...users, ...byId, ...(chosen ? [chosen] : [])];
  return (
    <Select
      placeholder={t`Name or id`}
      {...props}
      data={[...new Map(options.toReversed().map((option) => [option.value, option])).values()].toReversed()}
      value={value ?? null}
      onChange={(user) => onChange(user ?? undefined)}
      searchable
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
