import { graphql } from '@atrium/client';
import { useQuery } from '@tanstack/react-query';
import { hasRole, STAFF, useMe } from './administrator.ts';
import { query } from './clients.ts';

const ROLES = graphql(`query ConsoleRoles { roles { name description createdAt } }`);

/** Roles of users of the application. Viewers may not list them. */
export function useRoles(application: number) {
  return useQuery({
    queryKey: [application, 'roles'],
    queryFn: async ({ signal }) => (await query({ application }, ROLES, {}, signal)).roles,
    enabled: hasRole(useMe(), STAFF, application),
    staleTime: 30_000,
  });
}
