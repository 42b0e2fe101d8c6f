import { DateTimeResolver, JSONResolver, SafeIntResolver } from 'graphql-scalars';
import type { User } from '../../generated/prisma/client.ts';
import type { FieldType, GeoPoint, PresentedFile } from '../../resolvers/classes/values.ts';
import type { RecordChange } from '../../resolvers/records/live.ts';
import type { RecordPermissions } from '../../resolvers/records/permissions.ts';
import type { RecordGrants } from '../../resolvers/records/rows.ts';
import type { Builder } from '../builder.ts';

/** A builder can refer only to its own types; `merge.ts` replaces these stand-ins by name. */
export type SharedTypes = ReturnType<typeof sharedTypes>;

function standIn(t: { boolean: () => unknown }) {
  return { standIn: t.boolean() };
}

export function sharedTypes(builder: Builder) {
  builder.addScalarType('DateTime', DateTimeResolver);
  builder.addScalarType('JSON', JSONResolver);
  builder.addScalarType('SafeInt', SafeIntResolver);
  const output = <Shape>(name: string) =>
    builder.objectRef<Shape>(name).implement({ fields: (t) => ({ id: t.boolean({ resolve: () => true }) }) });
  const input = <Shape>(name: string) => builder.inputRef<Shape & object>(name).implement({ fields: standIn } as never);
  const filter = (name: string) => input<Record<string, unknown>>(name);
  return {
    user: output<User>('User'),
    permissions: output<RecordGrants>('RecordPermissions'),
    point: output<GeoPoint>('GeoPoint'),
    file: output<PresentedFile>('RecordFile'),
    direction: builder.enumType('SortDirection', {
      values: { ASC: { value: 'asc' }, DESC: { value: 'desc' } } as const,
    }),
    changeKind: builder.enumType('RecordChangeKind', {
      values: { CREATED: { value: 'recordCreated' } } as unknown as Record<string, { value: RecordChange['kind'] }>,
    }),
    permissionsInput: input<RecordPermissions>('RecordPermissionsInput'),
    pointInput: input<GeoPoint>('GeoPointInput'),
    idFilter: filter('IdFilter'),
    userFilter: filter('IntFilter'),
    timeFilter: filter('UnixTimeFilter'),
    filters: {
      Integer: filter('SafeIntFilter'),
      Float: filter('FloatFilter'),
      String: filter('StringFilter'),
      Boolean: filter('BooleanFilter'),
      Date: filter('DateTimeFilter'),
      Location: filter('GeoPointFilter'),
      File: filter('FileFilter'),
    } satisfies Record<FieldType, unknown>,
    listFilters: {
      Integer: filter('SafeIntListFilter'),
      Float: filter('FloatListFilter'),
      String: filter('StringListFilter'),
      Boolean: filter('BooleanListFilter'),
      Date: filter('DateTimeListFilter'),
      Location: filter('GeoPointListFilter'),
    } satisfies Record<Exclude<FieldType, 'File'>, unknown>,
  };
}
