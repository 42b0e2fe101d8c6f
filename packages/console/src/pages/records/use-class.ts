import { useQuery } from '@tanstack/react-query';
import { query } from '../../app/clients.ts';
import { CLASS, CLASSES, type RecordClass } from './documents.ts';

export const classesKey = (application: number) => [application, 'classes'];

export function useClasses(application: number) {
  return useQuery({
    queryKey: classesKey(application),
    queryFn: async ({ signal }) => (await query({ application }, CLASSES, {}, signal)).classes,
  });
}

/** Null if there is no class of this name. */
export function useClass(application: number, name: string) {
  return useQuery({
    queryKey: [...classesKey(application), name],
    queryFn: async ({ signal }): Promise<RecordClass | null> => {
      const { classes } = await query({ application }, CLASS, {}, signal);
      return classes.find((one) => one.name === name) ?? null;
    },
  });
}
