import { DEVELOPER, STAFF, SUPPORT } from '../administration/administrators/rights.ts';
import { assignRole, defineRole, deleteRole, listRoles, MAX_ROLE_NAME, revokeRole } from '../resolvers/users/roles.ts';
import { builder } from './builder.ts';
import { CREATED_AT } from './descriptions.ts';
import { User } from './users.ts';

const NAME = 'From `roles`, for example `editor`.';

const Role = builder.prismaObject('Role', {
  description:
    'A role of users, which only API keys and administrators assign. Permissions name it as a group: `role:editor`.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Unique in the application, for example `editor`.' }),
    description: t.exposeString('description', { description: 'What its users may do, for people; may be empty.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: CREATED_AT }),
  }),
});

builder.queryField('roles', (t) =>
  t.withAuth({ key: true }).field({
    scope: 'users',
    administrator: { roles: STAFF },
    type: [Role],
    description: 'All roles of the application, sorted by name.',
    resolve: (_root, _args, context) => listRoles(context),
  }),
);

builder.mutationField('defineRole', (t) =>
  t.withAuth({ key: true }).field({
    scope: 'users',
    administrator: { roles: DEVELOPER },
    type: Role,
    description:
      'Creates a role, or changes the description of an existing one. An invalid name fails with `UNPROCESSABLE`.',
    args: {
      name: t.arg.string({
        required: true,
        description: `1 to ${MAX_ROLE_NAME} lower-case letters, digits, \`-\` and \`_\`; the first is a letter.`,
      }),
      description: t.arg.string({
        required: true,
        defaultValue: '',
        description: 'What its users may do, for people; at most 255 characters.',
      }),
    },
    resolve: (_root, { name, description }, context) => defineRole(name, description, context),
  }),
);

builder.mutationField('deleteRole', (t) =>
  t.withAuth({ key: true }).boolean({
    scope: 'users',
    administrator: { roles: DEVELOPER, isConfirmed: true },
    description:
      'Deletes a role and revokes it from its users. Permissions that name it then grant nothing by it. Fails with ' +
      '`NOT_FOUND` if it does not exist.',
    args: { name: t.arg.string({ required: true, description: NAME }) },
    resolve: (_root, { name }, context) => deleteRole(name, context),
  }),
);

builder.mutationField('assignRole', (t) =>
  t.withAuth({ key: true }).field({
    scope: 'users',
    administrator: { roles: SUPPORT, isConfirmed: true },
    type: User,
    description: 'Gives a user a role. Fails with `NOT_FOUND` if the user or the role does not exist.',
    args: {
      userId: t.arg.int({ required: true, description: 'Id from `users`.' }),
      role: t.arg.string({ required: true, description: NAME }),
    },
    resolve: (_root, { userId, role }, context) => assignRole(userId, role, context),
  }),
);

builder.mutationField('revokeRole', (t) =>
  t.withAuth({ key: true }).field({
    scope: 'users',
    administrator: { roles: SUPPORT, isConfirmed: true },
    type: User,
    description: 'Takes a role from a user; no effect without it. Fails with `NOT_FOUND` if the user does not exist.',
    args: {
      userId: t.arg.int({ required: true, description: 'Id from `users`.' }),
      role: t.arg.string({ required: true, description: NAME }),
    },
    resolve: (_root, { userId, role }, context) => revokeRole(userId, role, context),
  }),
);
