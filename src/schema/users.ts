import { createUser, findUser, findViewer } from '../resolvers/users/index.ts';
import { builder } from './builder.ts';

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

const CreateUserInput = builder.inputType('CreateUserInput', {
  description: 'At least one of login, email and phone, and a password of 8 to 40 printable characters.',
  fields: (t) => ({
    login: t.string({ description: '3–40 characters; unique without letter case.' }),
    email: t.string({ description: 'Unique; kept in lower case.' }),
    password: t.string(),
    fullName: t.string(),
    phone: t.string(),
    website: t.string(),
    facebookId: t.string(),
    twitterId: t.string(),
    externalUserId: t.id({ description: 'A positive whole number; unique.' }),
    blobId: t.id(),
    customData: t.string({ description: 'Up to 5000 characters.' }),
    parentsContacts: t.string(),
    tags: t.stringList({ description: 'At most 5.' }),
    ageOver16: t.field({ type: 'Flag' }),
    allowStatisticsAnalysis: t.field({ type: 'Flag' }),
    allowSalesActivities: t.field({ type: 'Flag' }),
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

builder.mutationField('createUser', (t) =>
  t.withAuth({ session: true }).field({
    type: User,
    description: "Signs a user up; the caller's session stays as it is.",
    args: { input: t.arg({ type: CreateUserInput, required: true }) },
    resolve: (_root, { input }, context) => createUser(input, context),
  }),
);
