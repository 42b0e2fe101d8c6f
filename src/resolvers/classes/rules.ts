import type { IndexInput } from './compound-indexes.ts';
import type { FieldInput } from './definition.ts';
import { type Grants, grantsOf, type Permission } from './grants.ts';

/** Omitted permissions are unchanged, or get their default. */
export interface ClassPermissions {
  create?: Permission | null;
  read?: Permission | null;
  update?: Permission | null;
  delete?: Permission | null;
}

export interface NewClass {
  name: string;
  fields?: FieldInput[] | null;
  /** Replace all compound indexes. */
  indexes?: IndexInput[] | null;
  permissions?: ClassPermissions | null;
}

export type ClassChanges = Omit<NewClass, 'name'>;

export const DEFAULTS: Required<{ [Operation in keyof ClassPermissions]: Permission }> = {
  create: { access: 'open' },
  read: { access: 'open' },
  update: { access: 'owner' },
  delete: { access: 'owner' },
};

export function withoutNulls(permissions: ClassPermissions | null | undefined): Partial<typeof DEFAULTS> {
  return Object.fromEntries(Object.entries(permissions ?? {}).filter(([, permission]) => permission != null));
}

export function grantsIn({ create, read, update, delete: remove }: Partial<typeof DEFAULTS>): {
  creators?: Grants;
  readers?: Grants;
  updaters?: Grants;
  deleters?: Grants;
} {
  return {
    ...(create ? { creators: grantsOf(create) } : {}),
    ...(read ? { readers: grantsOf(read) } : {}),
    ...(update ? { updaters: grantsOf(update) } : {}),
    ...(remove ? { deleters: grantsOf(remove) } : {}),
  };
}
