import { deleteUser, deleteUserByExternalId } from '../resolvers/accounts/delete.ts';
import { createUser } from '../resolvers/users/create.ts';
import { updateUser } from '../resolvers/users/update.ts';
import { builder } from './builder.ts';
import { User } from './users.ts';

type InputFields = PothosSchemaTypes.InputFieldBuilder<typeof builder.$inferSchemaTypes, 'InputObject'>;

/** What may be given of a user, at sign-up and later. */
const userFields = (t: InputFields) => ({
  login: t.string({ description: '3–40 characters; unique without letter case.' }),
  email: t.string({ description: 'Unique; kept in lower case.' }),
  fullName: t.string({ description: 'What other users call them; up to 255 characters.' }),
  phone: t.string({ description: 'Kept as typed: 4 to 20 digits, spaces and `+()-.`.' }),
  website: t.string({ description: "An address of the user's own, up to 255 characters." }),
  facebookId: t.string({ description: 'The digits by which Facebook knows the user; unique.' }),
  twitterId: t.string({ description: 'The digits by which Twitter knows the user; unique.' }),
  externalUserId: t.id({ description: 'A positive whole number; unique.' }),
  blobId: t.id({ description: 'A file that shows the user.' }),
  customData: t.string({ description: 'Up to 5000 characters.' }),
  parentsContacts: t.string({ description: 'How to reach the parents of a child, up to 255 characters.' }),
  ageOver16: t.field({ type: 'Flag', description: 'Whether the user says to be older than 16.' }),
  allowStatisticsAnalysis: t.field({ type: 'Flag', description: 'Whether the user agrees to be counted.' }),
  allowSalesActivities: t.field({ type: 'Flag', description: 'Whether the user agrees to be told of offers.' }),
});

const CreateUserInput = builder.inputType('CreateUserInput', {
  description: 'At least one of login, email and phone, and a password of 8 to 40 printable characters.',
  fields: (t) => ({
    ...userFields(t),
    password: t.string({ description: '8 to 40 printable ASCII characters without spaces.' }),
    tags: t.stringList({ description: 'At most 5.' }),
  }),
});

const UpdateUserInput = builder.inputType('UpdateUserInput', {
  description: 'What is left out stays as it is; null clears a field.',
  fields: (t) => ({
    ...userFields(t),
    password: t.string({ description: "A new one ends the user's other sessions and removes their devices." }),
    oldPassword: t.string({
      description:
        'Needed with a new password, but by API keys alone and users without one. Sessions need it, or a sign-in ' +
        'within the last 10 minutes, to change `email`, `phone` and `login` and to set a first password.',
    }),
    tags: t.stringList({ description: 'At most 5; they replace all.' }),
  }),
});

builder.mutationField('createUser', (t) =>
  t.withAuth({ session: true }).field({
    type: User,
    description: "Signs a user up; the caller's session stays as it is.",
    args: { input: t.arg({ type: CreateUserInput, required: true, description: 'Who it is, and a password.' }) },
    resolve: (_root, { input }, context) => createUser(input, context),
  }),
);

builder.mutationField('updateUser', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: User,
    description:
      'Changes the caller, or for an API key alone any user. When e-mail, phone or login change, the e-mail address of ' +
      'before gets a mail, unless an API key alone asks.',
    args: {
      id: t.arg.int({ required: true, description: 'As `createUser` or a list answered it.' }),
      input: t.arg({ type: UpdateUserInput, required: true, description: 'What is to be other than it is.' }),
    },
    resolve: (_root, { id, input }, context) => updateUser(id, input, context),
  }),
);

builder.mutationField('deleteUser', (t) =>
  t.withAuth({ userOrKey: true }).boolean({
    description: 'Deletes the caller, or for an API key alone any user. Sessions and memberships go, messages stay.',
    args: { id: t.arg.int({ required: true, description: 'As `createUser` or a list answered it.' }) },
    resolve: (_root, { id }, context) => deleteUser(id, context),
  }),
);

builder.mutationField('deleteUserByExternalId', (t) =>
  t.withAuth({ userOrKey: true }).boolean({
    description: "The same by the user's id in an integrated external system.",
    args: { externalUserId: t.arg({ type: 'SafeInt', required: true, description: "The user's id in that system." }) },
    resolve: (_root, { externalUserId }, context) => deleteUserByExternalId(externalUserId, context),
  }),
);
