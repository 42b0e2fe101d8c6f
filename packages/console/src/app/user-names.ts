import { graphql } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { query } from './clients.ts';

const NAMES = graphql(`query ConsoleUserNames($ids: [SafeInt!]!) {
  users(filter: { id: { in: $ids } }, first: 100) { edges { node { id login fullName email blobId } } }
}`);

export interface NamedUser {
  id: number;
  login: string | null;
  fullName: string | null;
  email: string | null;
}

export interface PicturedUser extends NamedUser {
  blobId: number | null;
}

export function nameOf({ id, fullName, login, email }: NamedUser): string {
  return fullName || login || email || t`User ${id}`;
}

/** Up to 100 users. @returns by id */
export function useUsers(application: number, ids: readonly number[]): ReadonlyMap<number, PicturedUser> | undefined {
  const wanted = [...new Set(ids)].filter((id) => id > 0).sort((a, b) => a - b);
  const { data } = useQuery({
    queryKey: [application, 'user-names', wanted],
    queryFn: async ({ signal }) => {
      const { users } = await query({ application }, NAMES, { ids: wanted.slice(0, 100) }, signal);
      return new Map(users.edges.map(({ node }) => [node.id, node]));
    },
    enabled: wanted.length > 0,
    staleTime: 60_000,
  });
  return data;
}

/** Names of up to 100 users. @returns a function from ids to names */
export function useUserNames(application: number, ids: readonly number[]): (id: number) => string {
  const users = useUsers(application, ids);
  return (id) => {
    const user = users?.get(id);
    return user ? nameOf(user) : t`User ${id}`;
  };
}
