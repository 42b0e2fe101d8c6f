import { graphql } from '@atrium/client';
import { useQuery } from '@tanstack/react-query';
import { hasRole, STAFF, useMe } from './administrator.ts';
import { query } from './clients.ts';

const ROLES = graphql(`query ConsoleRoles { roles { name description createdAt } }`);

const GROUP = 'role:';

/** The group of permissions that the users with a role are in. */
export const groupOfRole = (role: string) => GROUP + role;

/** The role of such a group; undefined for a tag. */
export const roleOf = (group: string) => (group.startsWith(GROUP) ? group.slice(GROUP.length) : undefined);

/** Roles of users of the application. Viewers may not list them. */
export function useRoles(application: number) {
  return useQuery({
    queryKey: [application, 'roles'],
    queryFn: async ({ signal }) => (await query({ application }, ROLES, {}, signal)).roles,
    enabled: hasRole(useMe(), STAFF, application),
    staleTime: 30_000,
  });
}
