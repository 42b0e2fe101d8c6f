import { UnprocessableError } from '../../lib/errors.ts';
import type { ClassDefinition } from '../classes/catalogue.ts';
import { type Grants, grantsOf, isForbidden, isOpen, isShared, type Permission } from '../classes/grants.ts';
import type { RecordRow } from './rows.ts';

/** Who may do what with a record; what is left out is as its class says, or stays as it is. */
export interface RecordPermissions {
  read?: Permission | null;
  update?: Permission | null;
  delete?: Permission | null;
}

/** Who may do what with a record, as it is stored. */
export type RecordGrants = Pick<RecordRow, 'readers' | 'updaters' | 'deleters'>;

/** What a record gets that says nothing itself. A class that is closed says so by itself, whatever its records say. */
export function openGrants({ readers, updaters, deleters }: ClassDefinition): RecordGrants {
  const open = (grants: Grants) => (isForbidden(grants) ? [] : grants);
  return { readers: open(readers), updaters: open(updaters), deleters: open(deleters) };
}

/** The grants that are given, and the others as they are. */
export function grantsIn(
  permissions: RecordPermissions | null | undefined,
  { readers, updaters, deleters }: RecordGrants,
  refuse: (sentence: string) => void,
): RecordGrants {
  const read = (permission: Permission | null | undefined, otherwise: Grants): Grants => {
    if (permission == null) return otherwise;
    // That is for classes alone: a record always is its owner's.
    if (permission.access === 'not_allowed') {
      refuse('Unknown access: not_allowed');
      return otherwise;
    }
    try {
      return grantsOf(permission);
    } catch (error) {
      if (!(error instanceof UnprocessableError)) throw error;
      for (const sentence of error.sentences) refuse(sentence);
      return otherwise;
    }
  };
  return {
    readers: read(permissions?.read, readers),
    updaters: read(permissions?.update, updaters),
    deleters: read(permissions?.delete, deleters),
  };
}

/** Kinds of records that the class is not known to have. */
export function missingKinds(known: ClassDefinition, rows: Pick<RecordRow, 'readers'>[]) {
  const hasOpen = known.hasOpen || rows.some(({ readers }) => isOpen(readers));
  const hasPrivate = known.hasPrivate || rows.some(({ readers }) => !isOpen(readers));
  const hasShared = known.hasShared || rows.some(({ readers }) => isShared(readers));
  const isMissing = hasOpen !== known.hasOpen || hasPrivate !== known.hasPrivate || hasShared !== known.hasShared;
  return isMissing ? { hasOpen, hasPrivate, hasShared } : undefined;
}
