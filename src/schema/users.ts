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
import { listUsers, listUsersByFullName, listUsersByTags } from '../resolvers/users/list.ts';
import { builder } from './builder.ts';
import { AND, CREATED_AT, DIRECTION, FILTER, OR, ORDER, SORT_FIELD, UPDATED_AT } from './descriptions.ts';
import { DateTimeFilter, DigitsFilter, SafeIntFilter, StringFilter, StringListFilter } from './filters.ts';
import { metered } from './metered.ts';
import { SortDirection } from './scalars.ts';

export const User = builder.prismaObject('User', {
  description: 'A user of the application; whoever holds a session of it may read it.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'By which all else of the application names them.' }),
    login: t.exposeString('login', { nullable: true, description: 'By which the user signs in; kept as typed.' }),
    email: t.exposeString('email', { nullable: true }),
    fullName: t.exposeString('fullName', { nullable: true, description: 'What other users call them.' }),
    phone: t.exposeString('phone', { nullable: true, description: 'As typed when it was given.' }),
    website: t.exposeString('website', { nullable: true, description: "An address of the user's own." }),
    facebookId: t.exposeString('facebookId', {
      nullable: true,
      description: 'The digits by which Facebook knows the user.',
    }),
    twitterId: t.exposeString('twitterId', {
      nullable: true,
      description: 'The digits by which Twitter knows the user.',
    }),
    externalUserId: t.field({
      type: 'SafeInt',
      nullable: true,
      description: "The user's id in an integrated external system.",
      resolve: (user) => (user.externalUserId === null ? null : Number(user.externalUserId)),
    }),
    blobId: t.exposeInt('blobId', { nullable: true, description: 'A file that shows the user.' }),
    customData: t.exposeString('customData', {
      nullable: true,
      description: 'Whatever the client keeps with the user.',
    }),
    parentsContacts: t.exposeString('parentsContacts', {
      description: 'How to reach the parents of a child; empty for most.',
    }),
    ageOver16: t.exposeBoolean('ageOver16', { description: 'Whether the user says to be older than 16.' }),
    allowStatisticsAnalysis: t.exposeBoolean('allowStatisticsAnalysis', {
      description: 'Whether the user agrees to be counted.',
    }),
    allowSalesActivities: t.exposeBoolean('allowSalesActivities', {
      description: 'Whether the user agrees to be told of offers.',
    }),
    tags: t.exposeStringList('tags', { description: 'Groups of users, for permissions of records and for pushes.' }),
    grantedTags: t.exposeStringList('grantedTags', {
      description: 'Those of the tags that an API key set. Where `groups` is `GRANTED`, permissions count no others.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: CREATED_AT }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: UPDATED_AT }),
    lastRequestAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'The latest request made as this user; null before the first.',
      resolve: (user, _args, { sessionClock }) => sessionClock.latestRequestOf(user),
    }),
  }),
});

const UserFilter = builder.inputRef<UserFilterShape>('UserFilter').implement({
  description: 'All that is given must match; of `or` at least one, of `and` each.',
  fields: (t) => ({
    id: t.field({ type: SafeIntFilter, description: 'By their ids.' }),
    fullName: t.field({ type: StringFilter, description: 'What other users call them.' }),
    email: t.field({ type: StringFilter, description: 'Letter case is ignored.' }),
    login: t.field({ type: StringFilter, description: 'Letter case is ignored.' }),
    phone: t.field({ type: StringFilter, description: 'As typed when it was given.' }),
    createdAt: t.field({ type: DateTimeFilter, description: 'When they signed up.' }),
    updatedAt: t.field({ type: DateTimeFilter, description: 'When they were last changed.' }),
    lastRequestAt: t.field({ type: DateTimeFilter, description: 'When their latest request was made.' }),
    externalUserId: t.field({ type: SafeIntFilter, description: 'Their ids in an integrated external system.' }),
    facebookId: t.field({ type: DigitsFilter, description: 'The digits by which Facebook knows them.' }),
    tags: t.field({ type: StringListFilter, description: 'Groups that they belong to.' }),
    or: t.field({ type: [UserFilter], description: OR }),
    and: t.field({ type: [UserFilter], description: AND }),
  }),
});

interface UserFilterShape {
  id?: typeof SafeIntFilter.$inferInput | null;
  fullName?: typeof StringFilter.$inferInput | null;
  email?: typeof StringFilter.$inferInput | null;
  login?: typeof StringFilter.$inferInput | null;
  phone?: typeof StringFilter.$inferInput | null;
  createdAt?: typeof DateTimeFilter.$inferInput | null;
  updatedAt?: typeof DateTimeFilter.$inferInput | null;
  lastRequestAt?: typeof DateTimeFilter.$inferInput | null;
  externalUserId?: typeof SafeIntFilter.$inferInput | null;
  facebookId?: typeof DigitsFilter.$inferInput | null;
  tags?: typeof StringListFilter.$inferInput | null;
  or?: UserFilterShape[] | null;
  and?: UserFilterShape[] | null;
}

const UserSortFieldType = builder.enumType('UserSortField', {
  description: 'What users can be sorted by.',
  values: {
    ID: { value: 'id', description: 'By id, which is the order in which they signed up.' },
    FULL_NAME: { value: 'fullName', description: 'By what other users call them.' },
    EMAIL: { value: 'email', description: 'By e-mail, which is in lower case.' },
    LOGIN: { value: 'login', description: 'By what they sign in with.' },
    PHONE: { value: 'phone', description: 'By phone, as text.' },
    WEBSITE: { value: 'website', description: 'By their addresses, as text.' },
    CREATED_AT: { value: 'createdAt', description: 'When they signed up.' },
    UPDATED_AT: { value: 'updatedAt', description: 'When they were last changed.' },
    LAST_REQUEST_AT: { value: 'lastRequestAt', description: 'When their latest request was made.' },
    EXTERNAL_USER_ID: { value: 'externalUserId', description: 'By their ids in an integrated external system.' },
  } as const,
});

const UserOrder = builder.inputType('UserOrder', {
  description: 'Unset values come last in both directions; ties by id.',
  fields: (t) => ({
    field: t.field({ type: UserSortFieldType, required: true, description: SORT_FIELD }),
    direction: t.field({ type: SortDirection, required: true, description: DIRECTION }),
  }),
});

builder.queryField('user', (t) =>
  t.withAuth({ session: true }).field({
    type: User,
    description: 'One user of the application.',
    args: { id: t.arg.int({ required: true, description: 'As `createUser` or a list answered it.' }) },
    resolve: (_root, { id }, context) => findUser(id, context),
  }),
);

builder.queryField('me', (t) =>
  t.withAuth({ user: true }).field({
    type: User,
    description: 'The user behind the call.',
    resolve: (_root, _args, context) => findMe(context),
  }),
);

builder.queryField('userByExternalId', (t) =>
  t.withAuth({ session: true }).field({
    type: User,
    description: 'By the id in an integrated external system.',
    args: { externalUserId: t.arg({ type: 'SafeInt', required: true, description: "The user's id in that system." }) },
    resolve: (_root, { externalUserId }, context) => findUserByExternalId(externalUserId, context),
  }),
);

builder.queryField('userByLogin', (t) =>
  t.withAuth({ session: true }).field({
    type: User,
    description: 'Letter case is ignored.',
    args: { login: t.arg.string({ required: true, description: 'The whole login.' }) },
    resolve: (_root, { login }, context) => findUserByLogin(login, context),
  }),
);

builder.queryField('userByEmail', (t) =>
  t.withAuth({ session: true }).field({
    type: User,
    description: 'Letter case is ignored.',
    args: { email: t.arg.string({ required: true, description: 'The whole address.' }) },
    resolve: (_root, { email }, context) => findUserByEmail(email, context),
  }),
);

builder.queryField('userByFacebookId', (t) =>
  t.withAuth({ session: true }).field({
    type: User,
    description: 'By the account there.',
    args: { facebookId: t.arg.string({ required: true, description: 'The digits by which Facebook knows the user.' }) },
    resolve: (_root, { facebookId }, context) => findUserByFacebookId(facebookId, context),
  }),
);

builder.queryField('userByTwitterId', (t) =>
  t.withAuth({ session: true }).field({
    type: User,
    description: 'By the account there.',
    args: { twitterId: t.arg.string({ required: true, description: 'The digits by which Twitter knows the user.' }) },
    resolve: (_root, { twitterId }, context) => findUserByTwitterId(twitterId, context),
  }),
);

builder.queryField('userByPhone', (t) =>
  t.withAuth({ session: true }).field({
    type: User,
    description: 'The oldest user with exactly this phone.',
    args: { phone: t.arg.string({ required: true, description: 'As it was typed when the user gave it.' }) },
    resolve: (_root, { phone }, context) => findUserByPhone(phone, context),
  }),
);

const SKIP = 'Users to pass over; its cost grows with it, that of cursors does not.';

builder.queryField('users', (t) =>
  t.withAuth({ session: true }).connection(
    {
      type: User,
      description: 'Users of the application, by id or as asked.',
      args: {
        filter: t.arg({ type: UserFilter, description: FILTER }),
        orderBy: t.arg({ type: UserOrder, description: ORDER }),
        skip: t.arg.int({ description: SKIP }),
      },
      resolve: (_root, args, context) => listUsers(args, context),
    },
    { fields: metered },
  ),
);

builder.queryField('usersByFullName', (t) =>
  t.withAuth({ session: true }).connection(
    {
      type: User,
      description: 'Users in whose full name every word occurs, letter case ignored; an error when there is none.',
      args: {
        fullName: t.arg.string({ required: true, description: 'Words or parts of words, in any order.' }),
        skip: t.arg.int({ description: SKIP }),
      },
      resolve: (_root, args, context) => listUsersByFullName(args, context),
    },
    { fields: metered },
  ),
);

builder.queryField('usersByTags', (t) =>
  t.withAuth({ session: true }).connection(
    {
      type: User,
      description: 'Users who have any of the tags; an error when there is none.',
      args: {
        tags: t.arg.stringList({ required: true, description: 'As users bear them, letter case included.' }),
        skip: t.arg.int({ description: SKIP }),
      },
      resolve: (_root, args, context) => listUsersByTags(args, context),
    },
    { fields: metered },
  ),
);
