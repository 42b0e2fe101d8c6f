import { STAFF } from '../administration/administrators/rights.ts';
import { lastSeenAt } from '../resolvers/blocks/last-seen.ts';
import {
  findMe,
  findUser,
  findUserByEmail,
  findUserByExternalId,
  findUserByFacebookId,
  findUserByLogin,
  findUserByPhone,
  findUserByTwitterId,
} from '../resolvers/users/find.ts';

import { isProven } from '../resolvers/users/identities.ts';
import { listUsers, listUsersByFullName, listUsersByTags } from '../resolvers/users/list.ts';
import { builder } from './builder.ts';
import { CREATED_AT, FILTER, ORDER, skipped, UPDATED_AT } from './descriptions.ts';
import {
  conditions,
  DateTimeFilter,
  DigitsFilter,
  orderInput,
  SafeIntFilter,
  StringFilter,
  StringListFilter,
} from './filters.ts';
import { requestedFields } from './requested-fields.ts';
import { withTotalCount } from './total-count.ts';

export const User = builder.prismaObject('User', {
  description: 'A user of the application. Sessions and API keys of the application can read all users.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Numeric id, unique in the application.' }),
    login: t.exposeString('login', { nullable: true, description: 'Name for signing in, as typed; null if not set.' }),
    email: t.exposeString('email', { nullable: true, description: 'Email address in lower case; null if not set.' }),
    fullName: t.exposeString('fullName', { nullable: true, description: 'Display name; null if not set.' }),
    phone: t.exposeString('phone', { nullable: true, description: 'Phone number as typed; null if not set.' }),
    website: t.exposeString('website', {
      nullable: true,
      description: 'URL or other address of a website; null if not set.',
    }),
    facebookId: t.exposeString('facebookId', {
      nullable: true,
      description: 'Digits that identify the user at Facebook; null if not set.',
    }),
    twitterId: t.exposeString('twitterId', {
      nullable: true,
      description: 'Digits that identify the user at Twitter; null if not set.',
    }),
    externalUserId: t.field({
      type: 'SafeInt',
      nullable: true,
      description: 'Id of the user in an integrated external system; null if not set.',
      resolve: (user) => (user.externalUserId === null ? null : Number(user.externalUserId)),
    }),
    blobId: t.exposeInt('blobId', {
      nullable: true,
      description: 'Id of a blob, such as a profile picture; null if not set.',
    }),
    customData: t.exposeString('customData', {
      nullable: true,
      description: 'Text that the client defines; null if not set.',
    }),
    parentsContacts: t.exposeString('parentsContacts', {
      description: "Contact details of a child's parents; empty if not set.",
    }),
    ageOver16: t.exposeBoolean('ageOver16', { description: 'Whether the user states to be older than 16.' }),
    allowStatisticsAnalysis: t.exposeBoolean('allowStatisticsAnalysis', {
      description: 'Whether the user consents to statistical analysis.',
    }),
    allowSalesActivities: t.exposeBoolean('allowSalesActivities', {
      description: 'Whether the user has opted in to marketing.',
    }),
    tags: t.exposeStringList('tags', {
      description: 'Groups of the user, for record permissions and for the recipients of pushes.',
    }),
    grantedTags: t.exposeStringList('grantedTags', {
      description:
        'Tags that an API key set. If the application setting `groups` is `GRANTED`, only these count for permissions.',
    }),
    roles: t.exposeStringList('roles', {
      description: 'Roles of the user, which only API keys and administrators assign.',
    }),
    isGuest: t.exposeBoolean('isGuest', {
      description: 'Whether the user signed in with `createGuestSession` and has no credentials yet.',
    }),
    emailVerified: t.boolean({
      description: 'Whether the user has proven to receive mail at the email address.',
      resolve: (user) => isProven('email', user),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: CREATED_AT }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: UPDATED_AT }),
    blockedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description:
        'When the user was blocked (`blockUser`); null otherwise, and always null for callers without API key.',
      resolve: ({ blockedAt }, _args, { viewer }) => (viewer.kind === 'key' ? blockedAt : null),
    }),
    lastRequestAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Time of the latest request made as this user; null before the first.',
      resolve: (user, _args, { sessionClock }) => sessionClock.latestRequestOf(user),
    }),
    lastSeenAt: t.field({
      type: 'DateTime',
      nullable: true,
      description:
        'Now while the user is online, otherwise the latest request or end of a connection; null before the first, and ' +
        'for callers whom the user blocks.',
      extensions: { viewerDependent: true },
      resolve: (user, _args, context) => lastSeenAt(user, context),
    }),
  }),
});

const UserFilter = conditions('UserFilter', 'user', {
  id: [SafeIntFilter, 'Compares the numeric id.'],
  fullName: [StringFilter, 'Compares the display name.'],
  email: [StringFilter, 'Compares the email address, ignoring case.'],
  login: [StringFilter, 'Compares the login, ignoring case.'],
  phone: [StringFilter, 'Compares the phone number as typed.'],
  createdAt: [DateTimeFilter, 'Compares the time of sign-up.'],
  updatedAt: [DateTimeFilter, 'Compares the time of the last change.'],
  lastRequestAt: [DateTimeFilter, 'Compares the time of the latest request.'],
  externalUserId: [SafeIntFilter, 'Compares the id in an integrated external system.'],
  facebookId: [DigitsFilter, 'Compares the id at Facebook, as a number.'],
  roles: [StringListFilter, 'Compares the roles.'],
  tags: [StringListFilter, 'Compares the tags, including case.'],
});

const UserSortFieldType = builder.enumType('UserSortField', {
  description: 'Fields by which users can be sorted.',
  values: {
    ID: { value: 'id', description: 'Numeric id, which is the order of sign-up.' },
    FULL_NAME: { value: 'fullName', description: 'Display name.' },
    EMAIL: { value: 'email', description: 'Email address, in lower case.' },
    LOGIN: { value: 'login', description: 'Name for signing in, as typed.' },
    PHONE: { value: 'phone', description: 'Phone number, compared as text.' },
    WEBSITE: { value: 'website', description: 'Website, compared as text.' },
    CREATED_AT: { value: 'createdAt', description: 'Time of sign-up.' },
    UPDATED_AT: { value: 'updatedAt', description: 'Time of the last change.' },
    LAST_REQUEST_AT: { value: 'lastRequestAt', description: 'Time of the latest request.' },
    EXTERNAL_USER_ID: { value: 'externalUserId', description: 'Id in an integrated external system.' },
  } as const,
});

const UserOrder = orderInput(
  'UserOrder',
  'How to sort users. Unset values come last in both directions; ties are broken by id.',
  UserSortFieldType,
);

builder.queryField('user', (t) =>
  t.withAuth({ session: true }).field({
    scope: 'users',
    administrator: { roles: STAFF },
    type: User,
    description: 'One user of the application. Fails with `NOT_FOUND` if the user does not exist.',
    args: { id: t.arg.int({ required: true, description: 'Numeric id of the user.' }) },
    resolve: (_root, { id }, context) => findUser(id, context),
  }),
);

builder.queryField('me', (t) =>
  t.withAuth({ user: true }).field({
    scope: 'users',
    administrator: { roles: STAFF },
    type: User,
    description: 'The user as whom the caller is authenticated.',
    resolve: (_root, _args, context) => findMe(context),
  }),
);

builder.queryField('userByExternalId', (t) =>
  t.withAuth({ session: true }).field({
    scope: 'users',
    administrator: { roles: STAFF },
    type: User,
    description: 'The user with this id in an integrated external system. Fails with `NOT_FOUND` if there is none.',
    args: { externalUserId: t.arg({ type: 'SafeInt', required: true, description: 'Id of the user in that system.' }) },
    resolve: (_root, { externalUserId }, context) => findUserByExternalId(externalUserId, context),
  }),
);

function lookup(
  name: string,
  argument: string,
  [argumentDescription, description]: [string, string],
  find: typeof findUserByLogin,
): void {
  builder.queryField(name, (t) =>
    t.withAuth({ session: true }).field({
      scope: 'users',
      administrator: { roles: STAFF },
      type: User,
      description: `${description} Fails with \`NOT_FOUND\` if there is none.`,
      args: { [argument]: t.arg.string({ required: true, description: argumentDescription }) },
      resolve: (_root, args, context) => find(args[argument]!, context),
    }),
  );
}

lookup('userByLogin', 'login', ['The complete login.', 'The user with this login, ignoring case.'], findUserByLogin);
lookup(
  'userByEmail',
  'email',
  ['The complete email address.', 'The user with this email address, ignoring case.'],
  findUserByEmail,
);
lookup(
  'userByFacebookId',
  'facebookId',
  ['Digits that identify the user at Facebook.', 'The user with this Facebook account.'],
  findUserByFacebookId,
);
lookup(
  'userByTwitterId',
  'twitterId',
  ['Digits that identify the user at Twitter.', 'The user with this Twitter account.'],
  findUserByTwitterId,
);
lookup(
  'userByPhone',
  'phone',
  [
    'Phone number exactly as stored.',
    'The user who has proven this phone number, otherwise the oldest user who has it.',
  ],
  findUserByPhone,
);

builder.queryField('users', (t) =>
  t.withAuth({ session: true }).connection(
    {
      scope: 'users',
      administrator: { roles: STAFF },
      type: User,
      description:
        'Users of the application, by id unless `orderBy` is given. Fails with `FORBIDDEN` if the application does ' +
        'not let sessions list its users.',
      args: {
        filter: t.arg({ type: UserFilter, description: FILTER }),
        orderBy: t.arg({ type: UserOrder, description: ORDER }),
        skip: t.arg.int({ description: skipped('users') }),
      },
      resolve: (_root, args, context, info) => listUsers(args, requestedFields(info), context),
    },
    { fields: withTotalCount },
  ),
);

builder.queryField('usersByFullName', (t) =>
  t.withAuth({ session: true }).connection(
    {
      scope: 'users',
      administrator: { roles: STAFF },
      type: User,
      description:
        'Users whose full name contains every word, ignoring case. Fails with `NOT_FOUND` if there are none, and ' +
        'with `FORBIDDEN` if the application does not let sessions list its users.',
      args: {
        fullName: t.arg.string({
          required: true,
          description: 'Words or parts of words separated by spaces, in any order.',
        }),
        skip: t.arg.int({ description: skipped('users') }),
      },
      resolve: (_root, args, context) => listUsersByFullName(args, context),
    },
    { fields: withTotalCount },
  ),
);

builder.queryField('usersByTags', (t) =>
  t.withAuth({ session: true }).connection(
    {
      scope: 'users',
      administrator: { roles: STAFF },
      type: User,
      description:
        'Users with at least one of the tags. Fails with `NOT_FOUND` if there are none, and with `FORBIDDEN` if the ' +
        'application does not let sessions list its users.',
      args: {
        tags: t.arg.stringList({ required: true, description: 'Exact tags, including case.' }),
        skip: t.arg.int({ description: skipped('users') }),
      },
      resolve: (_root, args, context) => listUsersByTags(args, context),
    },
    { fields: withTotalCount },
  ),
);
