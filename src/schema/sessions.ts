import { signedPairs } from '../lib/session-parameters.ts';
import { createSession, deleteSession, findSession, type OpenSession } from '../resolvers/sessions/index.ts';
import { builder } from './builder.ts';

const Session = builder.objectRef<OpenSession>('Session').implement({
  description: 'A session as its own caller sees it.',
  fields: (t) => ({
    id: t.exposeInt('id'),
    applicationId: t.exposeInt('applicationId'),
    userId: t.exposeInt('userId', { nullable: true, description: 'Null for an application session.' }),
    nonce: t.field({ type: 'SafeInt', resolve: (session) => Number(session.nonce) }),
    timestamp: t.field({
      type: 'SafeInt',
      description: 'Unix seconds, as signed.',
      resolve: (session) => Number(session.timestamp),
    }),
    token: t.exposeString('token', { description: 'Opens the session; 40 hex digits.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'The latest request.' }),
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
    login: t.string(),
    email: t.string(),
    password: t.string(),
  }),
});

const CreateSessionInput = builder.inputType('CreateSessionInput', {
  description:
    "The signature is an HMAC with the application's secret over `name=value` pairs, sorted and joined with `&`: " +
    '`application_id`, `auth_key`, `nonce`, `timestamp`, and for a user session `user[login]` or `user[email]` with ' +
    '`user[password]`.',
  fields: (t) => ({
    applicationId: t.int(),
    authKey: t.string(),
    nonce: t.field({ type: 'SafeInt', description: 'Any whole number, used once with its timestamp.' }),
    timestamp: t.field({ type: 'SafeInt', description: "Unix seconds, at most an hour off the server's clock." }),
    signature: t.string({ description: 'Lower-case hex.' }),
    user: t.field({ type: SessionUser, description: 'Left out for an application session.' }),
    parameters: t.field({
      type: [SignedParameter],
      description: 'Instead of all the others: every parameter as it was signed, and the signature.',
    }),
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
    description: 'Opens an application or user session for a signed request; credentials sent with it are ignored.',
    args: { input: t.arg({ type: CreateSessionInput, required: true }) },
    resolve: (_root, { input }, context) => createSession(signedPairs(input), context),
  }),
);

builder.mutationField('deleteSession', (t) =>
  t.withAuth({ token: true }).boolean({
    description: "Ends the caller's session and its sockets.",
    resolve: (_root, _args, context) => deleteSession(context),
  }),
);
