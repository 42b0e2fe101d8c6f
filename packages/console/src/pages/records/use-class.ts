import { useQuery } from '@tanstack/react-query';
import { query } from '../../app/clients.ts';
import { CLASS, CLASSES, type RecordClass } from './documents.ts';
import { buildingIndexes } from './index-states.ts';

const BUILDING_POLL_MS = 2_000;

export const classesKey = (application: number) => [application, 'classes'];

export function useClasses(application: number) {
  return useQuery({
    queryKey: classesKey(application),
    queryFn: async ({ signal }) => (await query({ application }, CLASSES, {}, signal)).classes,
  });
}

/** Null if there is no class of this name. */
export function useClass(application: number, name: string, enabled = true) {
  return useQuery({
    enabled,
    queryKey: [...classesKey(application), name],
    queryFn: async ({ signal }): Promise<RecordClass | null> => {
      const { classes } = await query({ application }, CLASS, {}, signal);
      return classes.find((one) => one.name === name) ?? null;
    },
    // Until its indexes are complete.
    refetchInterval: ({ state: { data } }) => data != null && buildingIndexes(data).length > 0 && BUILDING_POLL_MS,
  });
}
