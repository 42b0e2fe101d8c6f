import { graphql, type ResultOf } from '@atrium/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { query, SERVICE } from './clients.ts';

const ADMINISTRATOR = graphql(`query ConsoleAdministrator {
  administrator { id email name hasTotp passkeyCount roles { applicationId role } }
}`);

export const APPLICATIONS = graphql(`query ConsoleApplications { applications { id name createdAt } }`);

export type Role = 'OWNER' | 'DEVELOPER' | 'SUPPORT' | 'VIEWER';
/** Who may look up users. */
export const STAFF: readonly Role[] = ['DEVELOPER', 'SUPPORT'];

export type Me = NonNullable<ResultOf<typeof ADMINISTRATOR>['administrator']>;

/** Null for a visitor who is not signed in. */
export const administratorQuery = queryOptions({
  queryKey: ['administrator'],
  queryFn: async ({ signal }) => (await query(SERVICE, ADMINISTRATOR, {}, signal)).administrator,
  staleTime: 60_000,
});

export const applicationsQuery = queryOptions({
  queryKey: ['applications'],
  queryFn: async ({ signal }) => (await query(SERVICE, APPLICATIONS, {}, signal)).applications,
  staleTime: 60_000,
});

/** The signed-in administrator; pages inside the shell have one. */
export function useMe(): Me {
  return useQuery(administratorQuery).data!;
}

/** @param applicationId undefined: in all applications */
export function hasRole({ roles }: Me, wanted: readonly Role[], applicationId: number | undefined): boolean {
  return roles.some(
    (one) =>
      (one.role === 'OWNER' || wanted.includes(one.role as Role)) &&
      (one.applicationId === null || one.applicationId === applicationId),
  );
}

export function ownsAll(me: Me): boolean {
  return hasRole(me, [], undefined);
}
