import { graphql } from '@atrium/client';
import { useQuery } from '@tanstack/react-query';
import { query } from './clients.ts';

const CLASSES = graphql(`query ConsoleClassNames { classes { name } }`);

/** Empty until they have loaded. */
export function useClassNames(application: number): string[] {
  const { data = [] } = useQuery({
    queryKey: [application, 'class-names'],
    queryFn: async ({ signal }) => (await query({ application }, CLASSES, {}, signal)).classes.map(({ name }) => name),
  });
  return data;
}
