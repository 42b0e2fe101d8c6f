import { createUser } from '../resolvers/users/create.ts';
import { deleteUser, deleteUserByExternalId } from '../resolvers/users/delete.ts';
import { updateUser } from '../resolvers/users/update.ts';
import { builder } from './builder.ts';
import { User } from './users.ts';

type InputFields = PothosSchemaTypes.InputFieldBuilder<typeof builder.$inferSchemaTypes, 'InputObject'>;

/** What may be given of a user, at sign-up and later. */
const userFields = (t: InputFields) => ({
  login: t.string({ description: '3–40 characters; unique without letter case.' }),
  email: t.string({ description: 'Unique; kept in lower case.' }),
  fullName: t.string(),
  phone: t.string(),
  website: t.string(),
  facebookId: t.string(),
  twitterId: t.string(),
  externalUserId: t.id({ description: 'A positive whole number; unique.' }),
  blobId: t.id(),
  customData: t.string({ description: 'Up to 5000 characters.' }),
  parentsContacts: t.string(),
  ageOver16: t.field({ type: 'Flag' }),
  allowStatisticsAnalysis: t.field({ type: 'Flag' }),
  allowSalesActivities: t.field({ type: 'Flag' }),
});

const CreateUserInput = builder.inputType('CreateUserInput', {
  description: 'At least one of login, email and phone, and a password of 8 to 40 printable characters.',
  fields: (t) => ({
    ...userFields(t),
    password: t.string(),
    tags: t.stringList({ description: 'At most 5.' }),
  }),
});

const UpdateUserInput = builder.inputType('UpdateUserInput', {
  description: 'What is left out stays as it is; null clears a field.',
  fields: (t) => ({
    ...userFields(t),
    password: t.string({ description: "A new one ends the user's other sessions." }),
    oldPassword: t.string({ description: 'Needed with a new password, but by API keys alone and users without one.' }),
    tags: t.stringList({ description: 'At most 5; they replace all.' }),
  }),
});

builder.mutationField('createUser', (t) =>
  t.withAuth({ session: true }).field({
    type: User,
    description: "Signs a user up; the caller's session stays as it is.",
    args: { input: t.arg({ type: CreateUserInput, required: true }) },
    resolve: (_root, { input }, context) => createUser(input, context),
  }),
);

builder.mutationField('updateUser', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: User,
    description: 'Changes the caller, or for an API key alone any user.',
    args: { id: t.arg.int({ required: true }), input: t.arg({ type: UpdateUserInput, required: true }) },
    resolve: (_root, { id, input }, context) => updateUser(id, input, context),
  }),
);

builder.mutationField('deleteUser', (t) =>
  t.withAuth({ userOrKey: true }).boolean({
    description: 'Deletes the caller, or for an API key alone any user. Sessions and memberships go, messages stay.',
    args: { id: t.arg.int({ required: true }) },
    resolve: (_root, { id }, context) => deleteUser(id, context),
  }),
);

builder.mutationField('deleteUserByExternalId', (t) =>
  t.withAuth({ userOrKey: true }).boolean({
    description: "The same by the user's id in an integrated external system.",
    args: { externalUserId: t.arg({ type: 'SafeInt', required: true }) },
    resolve: (_root, { externalUserId }, context) => deleteUserByExternalId(externalUserId, context),
  }),
);
