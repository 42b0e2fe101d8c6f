import { createSession } from '../resolvers/sessions/create.ts';
import { deleteSession } from '../resolvers/sessions/delete.ts';
import { findSession } from '../resolvers/sessions/find.ts';
import { loginUser, logoutUser } from '../resolvers/sessions/login.ts';
import { signedPairs } from '../resolvers/sessions/parameters.ts';
import type { OpenSession } from '../resolvers/sessions/rows.ts';
import { builder } from './builder.ts';
import { APPLICATION_ID, CREATED_AT } from './descriptions.ts';
import { User } from './users.ts';

const Session = builder.objectRef<OpenSession>('Session').implement({
  description: 'A session as its own caller sees it.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Its number, which opens nothing: that does the token alone.' }),
    applicationId: t.exposeInt('applicationId', { description: APPLICATION_ID }),
    userId: t.exposeInt('userId', { nullable: true, description: 'Null for an application session.' }),
    nonce: t.field({
      type: 'SafeInt',
      description: 'As the client signed it.',
      resolve: (session) => Number(session.nonce),
    }),
    timestamp: t.field({
      type: 'SafeInt',
      description: 'Unix seconds, as signed.',
      resolve: (session) => Number(session.timestamp),
    }),
    token: t.exposeString('token', { description: 'Opens the session; 40 hex digits.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: CREATED_AT }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'The latest request.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'When the session ends unless another request comes.',
    }),
  }),
});

const SignedParameter = builder.inputType('SignedParameter', {
  description: 'A request parameter as a legacy client signs it.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'With brackets: `user[login]`.' }),
    value: t.string({ required: true, description: 'Raw text.' }),
  }),
});

const SessionUser = builder.inputType('SessionUser', {
  description: 'Signs in by login or e-mail.',
  fields: (t) => ({
    login: t.string({ description: 'Letter case is ignored.' }),
    email: t.string({ description: 'Instead of the login; letter case is ignored.' }),
    password: t.string({ description: 'With the login or the e-mail.' }),
  }),
});

const SessionKeys = builder.inputType('SessionKeys', {
  description: "What a social provider gave the application's client.",
  fields: (t) => ({
    token: t.string({ description: 'What the provider gave the user.' }),
    secret: t.string({ description: 'Twitter only.' }),
  }),
});

const SessionFirebasePhone = builder.inputType('SessionFirebasePhone', {
  description: 'What Firebase gave a user who signed in by phone.',
  fields: (t) => ({
    accessToken: t.string({ description: 'A Firebase ID token.' }),
    projectId: t.string({ description: 'The Firebase project; it has to be that of the application.' }),
  }),
});

const CreateSessionInput = builder.inputType('CreateSessionInput', {
  description:
    "The signature is an HMAC with the application's secret over `name=value` pairs, sorted and joined with `&`: " +
    '`application_id`, `auth_key`, `nonce`, `timestamp`, and for a user session `user[login]` or `user[email]` with ' +
    '`user[password]`, or `provider` with `keys[token]` and `keys[secret]`, or with `firebase_phone[access_token]` and ' +
    '`firebase_phone[project_id]`.',
  fields: (t) => ({
    applicationId: t.int({ description: 'The application to open a session of.' }),
    authKey: t.string({ description: 'Names the application beside its id; no secret.' }),
    nonce: t.field({ type: 'SafeInt', description: 'Any whole number, used once with its timestamp.' }),
    timestamp: t.field({ type: 'SafeInt', description: "Unix seconds, at most an hour off the server's clock." }),
    signature: t.string({ description: 'Lower-case hex.' }),
    user: t.field({ type: SessionUser, description: 'Left out for an application session.' }),
    provider: t.string({ description: '`facebook`, `twitter` or `firebase_phone`: who vouches for the user.' }),
    keys: t.field({ type: SessionKeys, description: 'With the providers `facebook` and `twitter`.' }),
    firebasePhone: t.field({ type: SessionFirebasePhone, description: 'With the provider `firebase_phone`.' }),
    parameters: t.field({
      type: [SignedParameter],
      description: 'Instead of all the others: every parameter as it was signed, and the signature.',
    }),
  }),
});

const LoginUserInput = builder.inputType('LoginUserInput', {
  description: 'Login or e-mail with password, or a provider with what it gave the user.',
  fields: (t) => ({
    login: t.string({ description: 'Letter case is ignored.' }),
    email: t.string({ description: 'Instead of the login; letter case is ignored.' }),
    password: t.string({ description: 'With the login or the e-mail.' }),
    provider: t.string({ description: '`facebook`, `twitter` or `firebase_phone`: who vouches for the user.' }),
    keys: t.field({ type: SessionKeys, description: 'With the providers `facebook` and `twitter`.' }),
    firebasePhone: t.field({ type: SessionFirebasePhone, description: 'With the provider `firebase_phone`.' }),
  }),
});

builder.queryField('session', (t) =>
  t.withAuth({ token: true }).field({
    type: Session,
    description: "The caller's session.",
    resolve: (_root, _args, context) => findSession(context),
  }),
);

builder.mutationField('createSession', (t) =>
  t.withAuth({ anyone: true }).field({
    type: Session,
    rateLimit: 'signIn',
    description: 'Opens an application or user session for a signed request; credentials sent with it are ignored.',
    args: { input: t.arg({ type: CreateSessionInput, required: true, description: 'Who asks, signed.' }) },
    resolve: (_root, { input }, context) => createSession(signedPairs(input), context),
  }),
);

builder.mutationField('deleteSession', (t) =>
  t.withAuth({ token: true }).boolean({
    description: "Ends the caller's session and its sockets.",
    resolve: (_root, _args, context) => deleteSession(context),
  }),
);

builder.mutationField('loginUser', (t) =>
  t.withAuth({ token: true }).field({
    rateLimit: 'signIn',
    type: User,
    description:
      "Makes the caller's token that user's session, whoever's it was; sockets opened with it before are closed. A " +
      'phone or provider account that nobody has proven is attached to the signed-in user, if there is one who signed ' +
      'in within the last 10 minutes.',
    args: { input: t.arg({ type: LoginUserInput, required: true, description: 'Who signs in, and what proves it.' }) },
    resolve: (_root, { input }, context) => loginUser(input, context),
  }),
);

builder.mutationField('logoutUser', (t) =>
  t.withAuth({ token: true }).boolean({
    description: "Makes the caller's token an application session again, and closes the user's sockets of it.",
    resolve: (_root, _args, context) => logoutUser(context),
  }),
);
