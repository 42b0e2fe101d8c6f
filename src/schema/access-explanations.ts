import { DEVELOPER, SUPPORT } from '../administration/administrators/rights.ts';
import { type AccessExplanation as Explanation, explainAccess } from '../resolvers/accounts/explain-access.ts';
import { grantsIn, withoutNulls } from '../resolvers/classes/rules.ts';
import { type PermissionChange as Change, countChanges } from '../resolvers/records/explain-access.ts';
import { builder } from './builder.ts';
import { ClassPermissionsInput } from './classes.ts';
import { CLASS_NAME } from './descriptions.ts';
import { RecordPermission } from './record-permissions.ts';

const AccessOperation = builder.enumType('AccessOperation', {
  description: 'What a user wants to do.',
  values: {
    CREATE_RECORD: { value: 'createRecord', description: 'Create a record of the class.' },
    READ_RECORD: { value: 'readRecord', description: 'See the record with `id`.' },
    UPDATE_RECORD: { value: 'updateRecord', description: 'Change the record with `id`.' },
    DELETE_RECORD: { value: 'deleteRecord', description: 'Remove the record with `id`.' },
    CREATE_DIALOG: { value: 'createDialog', description: 'Open a conversation with other users.' },
    READ_DIALOG: { value: 'readDialog', description: 'Read the dialog and its messages.' },
    SEND_MESSAGE: { value: 'sendMessage', description: 'Send a message to the dialog.' },
    READ_FILE: { value: 'readFile', description: 'Find and download the file with `id`.' },
    UPDATE_FILE: { value: 'updateFile', description: 'Change, replace or delete the file with `id`.' },
  } as const,
});

const AccessRule = builder.enumType('AccessRule', {
  description: 'What allows or refuses an operation.',
  values: {
    OWNER: { description: 'The user owns the record or file.' },
    OPEN: { description: 'The permission is open to all.' },
    NAMED_USER: { description: 'The permission names the user.' },
    GROUP: { description: 'The permission names a group of the user.' },
    ROLE: { description: 'The permission names a role of the user.' },
    OCCUPANT: { description: 'The user is an occupant of the dialog.' },
    PUBLIC_GROUP: { description: 'The dialog is a public group.' },
    PUBLIC_FILE: { description: 'All may download the file, also without credentials.' },
    ALL_USERS: { description: 'Every user may do it.' },
    CLASS_CLOSED: { description: 'Refused: the class permits it to API keys only.' },
    NOT_GRANTED: { description: 'Refused: the permission does not include the user.' },
    NOT_AN_OCCUPANT: { description: 'Refused: the user is no occupant of the dialog.' },
    OTHER_OWNER: { description: 'Refused: another user owns the file.' },
    BLOCKED: { description: 'Refused: one of the two users has blocked the other.' },
    ROLE_REQUIRED: { description: 'Refused: only users with other roles may create dialogs.' },
    USER_BLOCKED: { description: 'Refused: the user is blocked and cannot sign in.' },
    EMAIL_NOT_VERIFIED: { description: 'Refused: the application demands a verified address.' },
    SECOND_FACTOR_NEEDED: { description: 'Refused: a role of the user demands a second factor.' },
    NOT_FOUND: { description: 'Refused: there is no such record, dialog or file.' },
  } as const,
});

const AccessExplanation = builder.objectRef<Explanation>('AccessExplanation').implement({
  description: 'Whether a user may do something, and why.',
  fields: (t) => ({
    isAllowed: t.exposeBoolean('isAllowed', { description: 'Decided by the code of the operation.' }),
    rule: t.expose('rule', { type: AccessRule, description: 'What decided.' }),
    sentence: t.exposeString('sentence', { description: 'The same in one sentence.' }),
    grant: t.exposeString('grant', {
      nullable: true,
      description: 'Group or role that decided; null for other rules.',
    }),
    permission: t.expose('permission', {
      type: RecordPermission,
      nullable: true,
      description: 'Permission of the record or class that decided; null for dialogs and for rules about the user.',
    }),
  }),
});

builder.queryField('explainAccess', (t) =>
  t.withAuth({ key: true }).field({
    scope: 'users',
    administrator: { roles: SUPPORT },
    type: AccessExplanation,
    description:
      'Whether a user may do something, and which rule allows or refuses it, for a session that the user opens now. Fails ' +
      'with `NOT_FOUND` for an unknown user.',
    args: {
      userId: t.arg.int({ required: true, description: 'Whose access is explained.' }),
      operation: t.arg({ type: AccessOperation, required: true, description: 'What the user wants to do.' }),
      className: t.arg.string({ description: 'Class of the record; required for records.' }),
      id: t.arg.string({ description: 'Id of the record, dialog or file; required unless it is created.' }),
    },
    resolve: (_root, args, context) => explainAccess(args, context),
  }),
);

const RecordAction = builder.enumType('RecordAction', {
  description: 'What permissions of a class and its records are about.',
  values: {
    CREATE: { value: 'create', description: 'Creating records.' },
    READ: { value: 'read', description: 'Reading new records that specify no permissions.' },
    UPDATE: { value: 'update', description: 'Changing new records that specify no permissions.' },
    DELETE: { value: 'delete', description: 'Deleting new records that specify no permissions.' },
  } as const,
});

const PermissionChange = builder.objectRef<Change>('PermissionChange').implement({
  description: 'What a new permission of a class changes for users who own no record.',
  fields: (t) => ({
    action: t.expose('action', { type: RecordAction, description: 'What the permission is about.' }),
    before: t.expose('before', { type: RecordPermission, description: 'Present permission.' }),
    after: t.expose('after', { type: RecordPermission, description: 'New permission.' }),
    gained: t.exposeInt('gained', { description: 'Number of users who may do it afterwards, and not before.' }),
    lost: t.exposeInt('lost', { description: 'Number of users who may do it before, and not afterwards.' }),
  }),
});

builder.queryField('permissionChanges', (t) =>
  t.withAuth({ key: true }).field({
    scope: 'classes',
    administrator: { roles: DEVELOPER },
    type: [PermissionChange],
    description:
      'What `updateClass` with these permissions would change, before it is called. Existing records keep their own ' +
      'permissions, unless the class is closed for an action.',
    args: {
      className: t.arg.string({ required: true, description: CLASS_NAME }),
      permissions: t.arg({ type: ClassPermissionsInput, required: true, description: 'Omitted ones are unchanged.' }),
    },
    resolve: (_root, { className, permissions }, { viewer }) =>
      countChanges(className, grantsIn(withoutNulls(permissions)), viewer),
  }),
);
