import {
  findUser,
  findUserByEmail,
  findUserByExternalId,
  findUserByFacebookId,
  findUserByLogin,
  findUserByPhone,
  findUserByTwitterId,
  findViewer,
} from '../resolvers/users/find.ts';
import { listUsers, listUsersByFullName, listUsersByTags, type UserPage } from '../resolvers/users/list.ts';
import { builder } from './builder.ts';
import { DateTimeFilter, DigitsFilter, SafeIntFilter, StringFilter, StringListFilter } from './filters.ts';
import { SortDirection } from './scalars.ts';

export const User = builder.prismaObject('User', {
  description: 'A user of the application; whoever holds a session of it may read it.',
  fields: (t) => ({
    id: t.exposeInt('id'),
    login: t.exposeString('login', { nullable: true }),
    email: t.exposeString('email', { nullable: true }),
    fullName: t.exposeString('fullName', { nullable: true }),
    phone: t.exposeString('phone', { nullable: true }),
    website: t.exposeString('website', { nullable: true }),
    facebookId: t.exposeString('facebookId', { nullable: true }),
    twitterId: t.exposeString('twitterId', { nullable: true }),
    externalUserId: t.field({
      type: 'SafeInt',
      nullable: true,
      description: "The user's id in an integrated external system.",
      resolve: (user) => (user.externalUserId === null ? null : Number(user.externalUserId)),
    }),
    blobId: t.exposeInt('blobId', { nullable: true }),
    customData: t.exposeString('customData', { nullable: true }),
    parentsContacts: t.exposeString('parentsContacts'),
    ageOver16: t.exposeBoolean('ageOver16'),
    allowStatisticsAnalysis: t.exposeBoolean('allowStatisticsAnalysis'),
    allowSalesActivities: t.exposeBoolean('allowSalesActivities'),
    tags: t.exposeStringList('tags'),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
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
    id: t.field({ type: SafeIntFilter }),
    fullName: t.field({ type: StringFilter }),
    email: t.field({ type: StringFilter, description: 'Letter case is ignored.' }),
    login: t.field({ type: StringFilter, description: 'Letter case is ignored.' }),
    phone: t.field({ type: StringFilter }),
    createdAt: t.field({ type: DateTimeFilter }),
    updatedAt: t.field({ type: DateTimeFilter }),
    lastRequestAt: t.field({ type: DateTimeFilter }),
    externalUserId: t.field({ type: SafeIntFilter }),
    facebookId: t.field({ type: DigitsFilter }),
    tags: t.field({ type: StringListFilter }),
    or: t.field({ type: [UserFilter] }),
    and: t.field({ type: [UserFilter] }),
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
  values: {
    ID: { value: 'id' },
    FULL_NAME: { value: 'fullName' },
    EMAIL: { value: 'email' },
    LOGIN: { value: 'login' },
    PHONE: { value: 'phone' },
    WEBSITE: { value: 'website' },
    CREATED_AT: { value: 'createdAt' },
    UPDATED_AT: { value: 'updatedAt' },
    LAST_REQUEST_AT: { value: 'lastRequestAt' },
    EXTERNAL_USER_ID: { value: 'externalUserId' },
  } as const,
});

const UserOrder = builder.inputType('UserOrder', {
  description: 'Unset values come last in both directions; ties by id.',
  fields: (t) => ({
    field: t.field({ type: UserSortFieldType, required: true }),
    direction: t.field({ type: SortDirection, required: true }),
  }),
});

builder.queryField('user', (t) =>
  t.withAuth({ session: true }).field({
    type: User,
    args: { id: t.arg.int({ required: true }) },
    resolve: (_root, { id }, context) => findUser(id, context),
  }),
);

builder.queryField('me', (t) =>
  t.withAuth({ user: true }).field({
    type: User,
    description: 'The user behind the call.',
    resolve: (_root, _args, context) => findViewer(context),
  }),
);

builder.queryField('userByExternalId', (t) =>
  t.withAuth({ session: true }).field({
    type: User,
    description: 'By the id in an integrated external system.',
    args: { externalUserId: t.arg({ type: 'SafeInt', required: true }) },
    resolve: (_root, { externalUserId }, context) => findUserByExternalId(externalUserId, context),
  }),
);

builder.queryField('userByLogin', (t) =>
  t.withAuth({ session: true }).field({
    type: User,
    description: 'Letter case is ignored.',
    args: { login: t.arg.string({ required: true }) },
    resolve: (_root, { login }, context) => findUserByLogin(login, context),
  }),
);

builder.queryField('userByEmail', (t) =>
  t.withAuth({ session: true }).field({
    type: User,
    description: 'Letter case is ignored.',
    args: { email: t.arg.string({ required: true }) },
    resolve: (_root, { email }, context) => findUserByEmail(email, context),
  }),
);

builder.queryField('userByFacebookId', (t) =>
  t.withAuth({ session: true }).field({
    type: User,
    description: 'By the account there.',
    args: { facebookId: t.arg.string({ required: true }) },
    resolve: (_root, { facebookId }, context) => findUserByFacebookId(facebookId, context),
  }),
);

builder.queryField('userByTwitterId', (t) =>
  t.withAuth({ session: true }).field({
    type: User,
    description: 'By the account there.',
    args: { twitterId: t.arg.string({ required: true }) },
    resolve: (_root, { twitterId }, context) => findUserByTwitterId(twitterId, context),
  }),
);

builder.queryField('userByPhone', (t) =>
  t.withAuth({ session: true }).field({
    type: User,
    description: 'The oldest user with exactly this phone.',
    args: { phone: t.arg.string({ required: true }) },
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
        filter: t.arg({ type: UserFilter }),
        orderBy: t.arg({ type: UserOrder }),
        skip: t.arg.int({ description: SKIP }),
      },
      resolve: (_root, args, context) => listUsers(args, context),
    },
    { fields: (t) => ({ totalCount: t.int({ resolve: (page) => (page as UserPage).totalCount() }) }) },
  ),
);

builder.queryField('usersByFullName', (t) =>
  t.withAuth({ session: true }).connection(
    {
      type: User,
      description: 'Users in whose full name every word occurs, letter case ignored; an error when there is none.',
      args: { fullName: t.arg.string({ required: true }), skip: t.arg.int({ description: SKIP }) },
      resolve: (_root, args, context) => listUsersByFullName(args, context),
    },
    { fields: (t) => ({ totalCount: t.int({ resolve: (page) => (page as UserPage).totalCount() }) }) },
  ),
);

builder.queryField('usersByTags', (t) =>
  t.withAuth({ session: true }).connection(
    {
      type: User,
      description: 'Users who have any of the tags; an error when there is none.',
      args: { tags: t.arg.stringList({ required: true }), skip: t.arg.int({ description: SKIP }) },
      resolve: (_root, args, context) => listUsersByTags(args, context),
    },
    { fields: (t) => ({ totalCount: t.int({ resolve: (page) => (page as UserPage).totalCount() }) }) },
  ),
);
