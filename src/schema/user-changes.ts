import { SUPPORT } from '../administration/administrators/rights.ts';
import { changeUser, signUpUser } from '../resolvers/accounts/change.ts';
import { deleteUser, deleteUserByExternalId } from '../resolvers/accounts/delete.ts';
import { MAX_TAG, MAX_TAGS } from '../resolvers/users/rules.ts';
import { builder, type InputFields } from './builder.ts';
import { User } from './users.ts';

const userFields = (t: InputFields) => ({
  login: t.string({ description: '3 to 40 characters: letters, digits and `._@+-`. Must be unique, ignoring case.' }),
  email: t.string({ description: 'Email address, at most 255 characters. Must be unique; stored in lower case.' }),
  fullName: t.string({ description: 'Display name, at most 255 characters.' }),
  phone: t.string({ description: 'Phone number of 4 to 20 characters: digits, spaces and `+()-.`. Stored as typed.' }),
  website: t.string({ description: 'URL or other address of a website, at most 255 characters.' }),
  facebookId: t.string({ description: 'Id of the user at Facebook, 1 to 20 digits; must be unique.' }),
  twitterId: t.string({ description: 'Id of the user at Twitter, 1 to 20 digits; must be unique.' }),
  externalUserId: t.id({
    description:
      'Id of the user in an integrated external system: a positive whole number up to 2^53 − 1; must be unique.',
  }),
  blobId: t.id({ description: 'Id of a blob, such as a profile picture.' }),
  customData: t.string({ description: 'Text that the client defines, at most 5,000 characters.' }),
  parentsContacts: t.string({ description: "Contact details of a child's parents, at most 255 characters." }),
  ageOver16: t.field({ type: 'Flag', description: 'Whether the user states to be older than 16. Default: false.' }),
  allowStatisticsAnalysis: t.field({
    type: 'Flag',
    description: 'Whether the user consents to statistical analysis. Default: false.',
  }),
  allowSalesActivities: t.field({
    type: 'Flag',
    description: 'Whether the user has opted in to marketing. Default: false.',
  }),
});

const CreateUserInput = builder.inputType('CreateUserInput', {
  description:
    'A new user. A `password`, or a `passwordHash`, and at least one of `login`, `email` and `phone` are required.',
  fields: (t) => ({
    ...userFields(t),
    password: t.string({
      description:
        '8 to 40 printable ASCII characters without spaces, or what the application setting `strictPasswords` demands. ' +
        'Required without `passwordHash`.',
    }),
    passwordHash: t.string({
      description:
        'Of a user of another system, for API keys alone: argon2id (PHC), bcrypt (`$2b$…`), scrypt (PHC) or PBKDF2 ' +
        '(PHC, passlib, Django). The first sign-in replaces it.',
    }),
    tags: t.stringList({ description: `At most ${MAX_TAGS} tags of up to ${MAX_TAG} characters.` }),
  }),
});

const UpdateUserInput = builder.inputType('UpdateUserInput', {
  description: 'The fields to change. Omitted fields remain unchanged; null clears a field.',
  fields: (t) => ({
    ...userFields(t),
    password: t.string({
      description:
        "New password, with the rules of `createUser`. Ends the user's other sessions and removes " + 'their devices.',
    }),
    oldPassword: t.string({
      description:
        'Current password. Required with a new password, except for users without a password and for an API key ' +
        'without `On-Behalf-Of`. A session that did not sign in within the last 10 minutes also needs it to change ' +
        '`email`, `phone` or `login`, and cannot set a first password.',
    }),
    tags: t.stringList({
      description: `At most ${MAX_TAGS} tags of up to ${MAX_TAG} characters. They replace the current tags.`,
    }),
  }),
});

builder.mutationField('createUser', (t) =>
  t.withAuth({ session: true }).field({
    scope: 'users',
    administrator: { roles: SUPPORT, isConfirmed: true },
    type: User,
    description:
      "Creates a user; the caller's session remains unchanged. Invalid fields fail with `UNPROCESSABLE`; " +
      '`extensions.fields` lists the problems of each field.',
    args: {
      input: t.arg({ type: CreateUserInput, required: true, description: 'Attributes and password of the user.' }),
    },
    resolve: (_root, { input }, context) => signUpUser(input, context),
  }),
);

builder.mutationField('updateUser', (t) =>
  t.withAuth({ userOrKey: true }).field({
    scope: 'users',
    administrator: {
      roles: SUPPORT,
      isConfirmed: true,
      needsReason: true,
      harmlessMembers: [
        'fullName',
        'website',
        'blobId',
        'customData',
        'parentsContacts',
        'ageOver16',
        'allowStatisticsAnalysis',
        'allowSalesActivities',
      ],
    },
    type: User,
    description:
      'Updates the caller or, for an API key without `On-Behalf-Of`, any user. A change of email address, phone ' +
      'number, login or proven provider account is reported by mail to the previous email address, except for ' +
      'changes by an API key without `On-Behalf-Of`. A password that an administrator sets is reported, too.',
    args: {
      id: t.arg.int({ required: true, description: 'Numeric id of the user.' }),
      input: t.arg({ type: UpdateUserInput, required: true, description: 'The fields to change.' }),
    },
    resolve: (_root, { id, input }, context) => changeUser(id, input, context),
  }),
);

builder.mutationField('deleteUser', (t) =>
  t.withAuth({ userOrKey: true }).boolean({
    scope: 'users',
    administrator: { roles: SUPPORT, isConfirmed: true },
    description:
      'Deletes the caller or, for an API key without `On-Behalf-Of`, any user, with sessions, reactions and dialog ' +
      'memberships. Messages remain.',
    args: { id: t.arg.int({ required: true, description: 'Numeric id of the user.' }) },
    resolve: (_root, { id }, context) => deleteUser(id, context),
  }),
);

builder.mutationField('deleteUserByExternalId', (t) =>
  t.withAuth({ userOrKey: true }).boolean({
    scope: 'users',
    administrator: { roles: SUPPORT, isConfirmed: true },
    description: 'Same as `deleteUser`, by the id of the user in an integrated external system.',
    args: { externalUserId: t.arg({ type: 'SafeInt', required: true, description: 'Id of the user in that system.' }) },
    resolve: (_root, { externalUserId }, context) => deleteUserByExternalId(externalUserId, context),
  }),
);
