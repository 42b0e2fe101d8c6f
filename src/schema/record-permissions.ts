import type { AccessKind, Grants, Permission } from '../resolvers/classes/grants.ts';
import { MAX_GROUP, MAX_NAMED, permissionOf } from '../resolvers/classes/grants.ts';
import { builder, type ObjectFields } from './builder.ts';
import { grouped } from './descriptions.ts';

const RecordAccess = builder.enumType('RecordAccess', {
  description: 'Who is granted a permission.',
  values: {
    OPEN: { value: 'open', description: 'Every user. For `read`, also application sessions.' },
    OWNER: {
      value: 'owner',
      description: 'Only the owner of the record. For `create`, only API keys without `On-Behalf-Of`.',
    },
    OPEN_FOR_USERS_IDS: { value: 'open_for_users_ids', description: 'The users listed in `ids`.' },
    OPEN_FOR_GROUPS: {
      value: 'open_for_groups',
      description:
        'Users who have one of the tags in `groups` at the time of the request. The setting `groups` of the ' +
        'application decides which tags count.',
    },
    NOT_ALLOWED: {
      value: 'not_allowed',
      description:
        'Only API keys without `On-Behalf-Of`, regardless of the permissions of the record. For classes only; on a ' +
        'record it fails with `UNPROCESSABLE`.',
    },
  } as const satisfies Record<Uppercase<AccessKind>, { value: AccessKind; description: string }>,
});

export const RecordPermission = builder.objectRef<Permission>('RecordPermission').implement({
  description: 'Who is granted a permission on a class or record.',
  fields: (t) => ({
    access: t.expose('access', {
      type: RecordAccess,
      description: 'Who is granted the permission, in addition to the owner and API keys without `On-Behalf-Of`.',
    }),
    ids: t.intList({
      nullable: true,
      description: 'User ids; null unless `access` is `OPEN_FOR_USERS_IDS`.',
      resolve: ({ ids }) => ids ?? null,
    }),
    groups: t.stringList({
      nullable: true,
      description: 'User tags; null unless `access` is `OPEN_FOR_GROUPS`.',
      resolve: ({ groups }) => groups ?? null,
    }),
  }),
});

/** A permission by the member of the record or class that stores it. */
export function granted<Row extends Record<Name, Grants>, Name extends string>(
  t: ObjectFields<Row>,
  name: Name,
  description: string,
) {
  return t.field({ type: RecordPermission, description, resolve: (row: Row) => permissionOf(row[name]) });
}

export const RecordPermissionInput = builder.inputType('RecordPermissionInput', {
  description: 'Who to grant a permission on a class or record. Invalid input fails with `UNPROCESSABLE`.',
  fields: (t) => ({
    access: t.field({
      type: RecordAccess,
      required: true,
      description: 'Who is granted the permission, in addition to the owner and API keys without `On-Behalf-Of`.',
    }),
    ids: t.intList({ description: `User ids, at most ${grouped(MAX_NAMED)}. Required for \`OPEN_FOR_USERS_IDS\`.` }),
    groups: t.stringList({
      description: `User tags, at most ${grouped(MAX_NAMED)} of 1 to ${MAX_GROUP} characters each. Required for \`OPEN_FOR_GROUPS\`.`,
    }),
  }),
});
