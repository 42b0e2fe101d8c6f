import { UnprocessableError } from '../../lib/errors.ts';
import { type Problem, problem } from '../../lib/problems.ts';
import type { ClassDefinition } from '../classes/catalogue.ts';
import { type Grants, grantsOf, isForbidden, isOpen, isShared, type Permission } from '../classes/grants.ts';
import type { RecordGrants, RecordRow } from './rows.ts';

/** Omitted permissions come from the class, or are unchanged. */
export interface RecordPermissions {
  read?: Permission | null;
  update?: Permission | null;
  delete?: Permission | null;
}

/** Defaults of a new record. A closed class overrides the grants of its records, so they need not repeat it. */
export function openGrants({ readers, updaters, deleters }: ClassDefinition): RecordGrants {
  const open = (grants: Grants) => (isForbidden(grants) ? [] : grants);
  return { readers: open(readers), updaters: open(updaters), deleters: open(deleters) };
}

export function grantsIn(
  permissions: RecordPermissions | null | undefined,
  { readers, updaters, deleters }: RecordGrants,
  refuse: (problem: Problem) => void,
): RecordGrants {
  const read = (permission: Permission | null | undefined, otherwise: Grants): Grants => {
    if (permission == null) return otherwise;
    // Valid for classes only, because owners always have access.
    if (permission.access === 'not_allowed') {
      refuse(problem('ACCESS_UNKNOWN', { access: 'not_allowed' }));
      return otherwise;
    }
    try {
      return grantsOf(permission);
    } catch (error) {
      if (!(error instanceof UnprocessableError)) throw error;
      for (const problem of error.problems) refuse(problem);
      return otherwise;
    }
  };
  return {
    readers: read(permissions?.read, readers),
    updaters: read(permissions?.update, updaters),
    deleters: read(permissions?.delete, deleters),
  };
}

/** Kinds of permissions that the class has not noted yet. */
export function missingKinds(definition: ClassDefinition, rows: Pick<RecordRow, 'readers'>[]) {
  const hasOpen = definition.hasOpen || rows.some(({ readers }) => isOpen(readers));
  const hasPrivate = definition.hasPrivate || rows.some(({ readers }) => !isOpen(readers));
  const hasShared = definition.hasShared || rows.some(({ readers }) => isShared(readers));
  const isMissing =
    hasOpen !== definition.hasOpen || hasPrivate !== definition.hasPrivate || hasShared !== definition.hasShared;
  return isMissing ? { hasOpen, hasPrivate, hasShared } : undefined;
}
