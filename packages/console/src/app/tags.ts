import { graphql } from '@atrium/client';
import { useQuery } from '@tanstack/react-query';
import { query } from './clients.ts';
import { roleOf } from './roles.ts';

const TAGS = graphql(`query ConsoleTags {
  users(first: 100, orderBy: { field: ID, direction: DESC }) { edges { node { tags grantedTags } } }
  classes { permissions { create { groups } read { groups } update { groups } delete { groups } } }
}`);

/** Tags to suggest: those of the newest users and of permissions, because the API has no list of all. */
export function useTags(application: number): string[] {
  const { data = [] } = useQuery({
    queryKey: [application, 'tags'],
    queryFn: async ({ signal }) => {
      const { users, classes } = await query({ application }, TAGS, {}, signal);
      const tags = [
        ...users.edges.flatMap(({ node }) => [...node.tags, ...node.grantedTags]),
        ...classes.flatMap(({ permissions }) => Object.values(permissions).flatMap(({ groups }) => groups ?? [])),
      ];
      return [...new Set(tags)].filter((tag) => roleOf(tag) === undefined).sort();
    },
    staleTime: 60_000,
  });
  return data;
}
