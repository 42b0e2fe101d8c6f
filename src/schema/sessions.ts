import { SUPPORT } from '../administration/administrators/rights.ts';
import { createSession } from '../resolvers/sessions/create.ts';
import { deleteSession } from '../resolvers/sessions/delete.ts';
import { endOtherSessions, endSession } from '../resolvers/sessions/end.ts';
import { findSession } from '../resolvers/sessions/find.ts';
import { listUserSessions, MAX_SESSIONS } from '../resolvers/sessions/list.ts';
import { loginUser, logoutUser } from '../resolvers/sessions/login.ts';
import { signedPairs } from '../resolvers/sessions/parameters.ts';
import type { OpenSession } from '../resolvers/sessions/rows.ts';
import { builder, type InputFields } from './builder.ts';
import { APPLICATION_ID, CREATED_AT } from './descriptions.ts';
import { ChallengeAnswerInput } from './second-factor-types.ts';
import { UserSession } from './user-moderation.ts';
import { User } from './users.ts';

const Session = builder.objectRef<OpenSession>('Session').implement({
  description: 'The session behind a token.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Numeric id; not a credential.' }),
    applicationId: t.exposeInt('applicationId', { description: APPLICATION_ID }),
    userId: t.exposeInt('userId', {
      nullable: true,
      description: 'Id of the signed-in user; null for an application session.',
    }),
    nonce: t.field({
      type: 'SafeInt',
      description: 'Nonce that the client signed, or a random one for an unsigned request.',
      resolve: (session) => Number(session.nonce),
    }),
    timestamp: t.field({
      type: 'SafeInt',
      description: 'Unix seconds that the client signed, or the time of an unsigned request.',
      resolve: (session) => Number(session.timestamp),
    }),
    token: t.exposeString('token', { description: 'Credential for later requests: 40 hex digits.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: CREATED_AT }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: 'Time of the latest request with this session.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'When the session expires unless another request extends it.',
    }),
  }),
});

const SignedParameter = builder.inputType('SignedParameter', {
  description: 'A request parameter exactly as a legacy client signed it.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Parameter name including brackets, for example `user[login]`.' }),
    value: t.string({ required: true, description: 'Raw text, without URL encoding.' }),
  }),
});

const SessionUser = builder.inputType('SessionUser', {
  description: 'Login, email address or id of a user, with the password.',
  fields: (t) => ({
    id: t.int({ description: 'Id of the user; `login` or `email` replaces it.' }),
    login: t.string({ description: 'Case-insensitive; `email` may be given instead.' }),
    email: t.string({ description: 'Case-insensitive; replaces `login`.' }),
    password: t.string({ description: 'Required with `login`, `email` or `id`.' }),
  }),
});

const SessionKeys = builder.inputType('SessionKeys', {
  description: "Credentials that the provider issued to the application's client.",
  fields: (t) => ({
    token: t.string({ description: 'Access token of the user.' }),
    secret: t.string({ description: 'Secret of the access token; Twitter only.' }),
  }),
});

const SessionFirebasePhone = builder.inputType('SessionFirebasePhone', {
  description: 'Credentials that Firebase issued to a user who signed in by phone.',
  fields: (t) => ({
    accessToken: t.string({ description: 'A Firebase ID token.' }),
    projectId: t.string({ description: 'Must be the Firebase project that is configured for the application.' }),
  }),
});

export const SessionIdToken = builder.inputType('SessionIdToken', {
  description: 'A JSON Web Token of an issuer that the application trusts (`tokenIssuers`).',
  fields: (t) => ({
    token: t.string({ description: 'JSON Web Token in its compact form.' }),
    nonce: t.string({ description: 'The nonce that the client sent to the issuer. The token must contain it.' }),
  }),
});

export const SessionProviderCode = builder.inputType('SessionProviderCode', {
  description: 'With this the page `/sign-in` returns to the app. It works once, for five minutes.',
  fields: (t) => ({
    code: t.string({ required: true, description: 'Parameter `provider_code` of the return address.' }),
    verifier: t.string({ required: true, description: 'Text whose SHA-256 was `code_challenge` (PKCE).' }),
  }),
});

const SessionEmailCode = builder.inputType('SessionEmailCode', {
  description: 'A mailed code, which is valid only with the token of its request.',
  fields: (t) => ({
    token: t.string({ description: 'Token from `requestSignInCode`.' }),
    code: t.string({ description: 'Six digits from the mail.' }),
  }),
});

/** What may replace a password. */
function credentialFields(t: InputFields) {
  return {
    provider: t.string({
      description: '`facebook`, `twitter` or `firebase_phone`, to sign in with an external identity.',
    }),
    keys: t.field({ type: SessionKeys, description: 'Credentials of the provider `facebook` or `twitter`.' }),
    firebasePhone: t.field({
      type: SessionFirebasePhone,
      description: 'Credentials of the provider `firebase_phone`.',
    }),
    emailCode: t.field({ type: SessionEmailCode, description: 'A code that was mailed to the user.' }),
    idToken: t.field({ type: SessionIdToken, description: 'A token of OpenID Connect, or of another trusted issuer.' }),
    providerCode: t.field({
      type: SessionProviderCode,
      description: 'A code of a sign-in at a provider (`/sign-in`).',
    }),
    answer: t.field({
      type: ChallengeAnswerInput,
      description: 'Answer to `requestPasskeySignIn`, or to the challenge of an error `CODE_REQUIRED`.',
    }),
  };
}

const CreateSessionInput = builder.inputType('CreateSessionInput', {
  description:
    'A request for a session. If the application setting `publicSignIn` is on, `applicationId` suffices, without ' +
    '`authKey`, `nonce`, `timestamp` and `signature`. Otherwise the request is signed: the signature is the HMAC of all parameters under the secret of the ' +
    'application: `name=value` pairs without URL encoding, sorted and joined with `&`, for example ' +
    '`application_id=1&auth_key=k&nonce=5&timestamp=1700000000`. A user session also signs `user[login]` or ' +
    '`user[email]` with `user[password]`, or `provider` with `keys[token]` and `keys[secret]`, or with ' +
    '`firebase_phone[access_token]` and `firebase_phone[project_id]`, `email_code[token]` and `email_code[code]`, `id_token[token]` and `id_token[nonce]`, `provider_code[code]` and `provider_code[verifier]`, or ' +
    '`answer[token]` with `answer[code]` or the members of `answer[passkey]`.',
  fields: (t) => ({
    applicationId: t.int({ description: 'Application for which to create the session.' }),
    authKey: t.string({ description: 'Public key of the application; not a secret.' }),
    nonce: t.field({
      type: 'SafeInt',
      description: 'Any whole number. Each pair of nonce and timestamp can be used once.',
    }),
    timestamp: t.field({
      type: 'SafeInt',
      description: "Unix seconds, at most one hour before or after the server's time.",
    }),
    signature: t.string({ description: 'HMAC in lower-case hex: SHA-1 or SHA-256, depending on the application.' }),
    user: t.field({ type: SessionUser, description: 'User to sign in. Omit it for an application session.' }),
    ...credentialFields(t),
    parameters: t.field({
      type: [SignedParameter],
      description: 'Replaces all other fields: every parameter exactly as signed, and the `signature`.',
    }),
  }),
});

const LoginUserInput = builder.inputType('LoginUserInput', {
  description: 'Login, email address or user id with password, or a provider with its credentials.',
  fields: (t) => ({
    userId: t.int({ description: 'Id of the user; `login` or `email` replaces it.' }),
    login: t.string({ description: 'Case-insensitive; `email` may be given instead.' }),
    email: t.string({ description: 'Case-insensitive; replaces `login`.' }),
    password: t.string({ description: 'Required with `login`, `email` or `userId`.' }),
    ...credentialFields(t),
  }),
});

builder.queryField('session', (t) =>
  t.withAuth({ token: true }).field({
    type: Session,
    description: "Session of the caller's token.",
    resolve: (_root, _args, context) => findSession(context),
  }),
);

builder.mutationField('createSession', (t) =>
  t.withAuth({ anyone: true }).field({
    type: Session,
    rateLimit: 'signIn',
    description:
      'Creates an application session or a user session, from a signed request unless `publicSignIn` is on. ' +
      'Credentials in the request headers are ignored.',
    args: {
      input: t.arg({ type: CreateSessionInput, required: true, description: 'Application, signature and user.' }),
    },
    resolve: (_root, { input }, context) => createSession(signedPairs(input), context),
  }),
);

builder.mutationField('createGuestSession', (t) =>
  t.withAuth({ anyone: true }).field({
    type: Session,
    rateLimit: 'signIn',
    description:
      'Creates a user without credentials, and a session for them, from the same request as `createSession`. With a ' +
      'password or another way to sign in, the guest becomes a user like others and keeps all data. Guests are deleted ' +
      'after the application setting `guestDays`; without it, the call fails with `DISABLED`.',
    args: {
      input: t.arg({
        type: CreateSessionInput,
        required: true,
        description: 'Application and signature; users are ignored.',
      }),
    },
    resolve: (_root, { input }, context) => createSession(signedPairs(input), context, { asGuest: true }),
  }),
);

builder.queryField('sessions', (t) =>
  t.withAuth({ user: true }).field({
    scope: 'users',
    administrator: { roles: SUPPORT },
    type: [UserSession],
    description: `Open sessions of the caller, latest request first, at most ${MAX_SESSIONS}.`,
    resolve: (_root, _args, context) => listUserSessions(context.viewer.userId, context),
  }),
);

builder.mutationField('endSession', (t) =>
  t.withAuth({ user: true }).boolean({
    scope: 'users',
    administrator: { roles: SUPPORT },
    description:
      'Ends a session of the caller, closes its sockets and deletes the devices that it subscribed to pushes. Fails with ' +
      '`NOT_FOUND` if the caller has no such session.',
    args: { id: t.arg.int({ required: true, description: 'Id from `sessions`.' }) },
    resolve: (_root, { id }, context) => endSession(id, context),
  }),
);

builder.mutationField('endOtherSessions', (t) =>
  t.withAuth({ user: true }).int({
    scope: 'users',
    administrator: { roles: SUPPORT },
    description:
      'Ends all other sessions of the caller like `endSession`, and returns their number. An API key on behalf of a user ' +
      'ends all.',
    resolve: (_root, _args, context) => endOtherSessions(context),
  }),
);

/** Legacy clients delete their subscriptions themselves. */
const KEEP_DEVICES = {
  type: 'Boolean',
  defaultValue: false,
  description: 'Keeps the devices, which then receive pushes of the user also if another person uses them.',
} as const;

builder.mutationField('deleteSession', (t) =>
  t.withAuth({ token: true }).boolean({
    description: "Ends the caller's session, closes its sockets and deletes the devices that it subscribed to pushes.",
    args: {
      successorId: t.arg.int({
        description: 'Id of a session with which the same user has signed in again. The devices move to it.',
      }),
      keepDevices: t.arg(KEEP_DEVICES),
    },
    resolve: (_root, args, context) => deleteSession(args, context),
  }),
);

builder.mutationField('loginUser', (t) =>
  t.withAuth({ token: true }).field({
    rateLimit: 'signIn',
    type: User,
    description:
      "Signs a user in with the caller's token, replacing a user who was signed in with it, whose devices it subscribed " +
      'to pushes are deleted; sockets opened with the token are closed. A phone number or provider account that no user has proven is attached to the signed-in ' +
      'user, if there is one; that user must have signed in within the last 10 minutes, otherwise the call fails ' +
      'with `FORBIDDEN`.',
    args: {
      input: t.arg({ type: LoginUserInput, required: true, description: 'Credentials of the user.' }),
      keepDevices: t.arg(KEEP_DEVICES),
    },
    resolve: (_root, args, context) => loginUser(args, context),
  }),
);

builder.mutationField('logoutUser', (t) =>
  t.withAuth({ token: true }).boolean({
    description:
      "Turns the caller's session back into an application session, closes its sockets and deletes the devices that it " +
      'subscribed to pushes.',
    args: { keepDevices: t.arg(KEEP_DEVICES) },
    resolve: (_root, args, context) => logoutUser(args, context),
  }),
);
