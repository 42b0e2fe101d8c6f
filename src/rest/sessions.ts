import { flatten, type Parameters } from '../lib/bracket-keys.ts';
import { SignInRefusedError, WrongPasswordError } from '../lib/errors.ts';
import { isObject, type JsonValue } from '../lib/json.ts';
import { errorsByField } from './errors.ts';
import { type FragmentOf, graphql } from './graphql.ts';
import { type Answer, route } from './http/route.ts';
import { sessionDocs } from './openapi/docs/sessions.ts';
import { integer, text, textOrEmpty } from './parameters/readers.ts';
import { object, type ParameterSource, parameters, required } from './parameters/table.ts';
import { sessionShape } from './shapes/session.ts';
import { userShape } from './shapes/user.ts';

const CreateSession = graphql(
  `mutation CreateSession($parameters: [SignedParameter!]!) {
    createSession(input: { parameters: $parameters }) { ...SessionFields expiresAt }
  }`,
  [sessionShape],
);

const CreateGuestSession = graphql(
  `mutation CreateGuestSession($parameters: [SignedParameter!]!) {
    createGuestSession(input: { parameters: $parameters }) { ...SessionFields expiresAt }
  }`,
  [sessionShape],
);

const FindSession = graphql(`query FindSession { session { ...SessionFields } }`, [sessionShape]);

const DeleteSession = graphql(`mutation DeleteSession { deleteSession(keepDevices: true) }`);

const LoginUser = graphql(
  `mutation LoginUser($input: LoginUserInput!) { loginUser(input: $input, keepDevices: true) { ...UserFields } }`,
  [userShape],
);

const LogoutUser = graphql(`mutation LogoutUser { logoutUser(keepDevices: true) }`);

const signIn = {
  login: ['login', text, 'Login of the user; letter case is ignored.'],
  email: ['email', text, 'Email address of the user, in place of `login`; letter case is ignored.'],
  password: ['password', text, 'Password of the user; required with `login` or `email`.'],
} as const;
const provider = ['provider', text, 'Sign-in by `facebook`, `twitter` or `firebase_phone`.'] as const;
const keys = object(
  parameters('SessionKeys', {
    token: ['token', required(text), 'Access token from the provider.'],
    secret: ['secret', text, 'Secret of the access token; Twitter only.'],
  }),
);
const firebasePhone = object(
  parameters('SessionFirebasePhone', {
    project_id: ['projectId', text, 'Firebase project; must be the one of the application.'],
    access_token: ['accessToken', text, 'Firebase ID token of the user.'],
  }),
);
const answer = object(
  parameters('ChallengeAnswerInput', {
    token: ['token', required(textOrEmpty), 'Token of the challenge.'],
    code: ['code', text, 'Code of the authenticator app, or a recovery code.'],
    passkey: [
      'passkey',
      object(
        parameters('PasskeyAssertionInput', {
          id: ['id', required(textOrEmpty), 'Id of the credential; base64url.'],
          client_data_json: ['clientDataJSON', required(textOrEmpty), 'What the browser signed; base64url.'],
          authenticator_data: ['authenticatorData', required(textOrEmpty), 'What the authenticator signed; base64url.'],
          signature: ['signature', required(textOrEmpty), 'Signature of the authenticator; base64url.'],
          user_handle: ['userHandle', text, 'Identifies the account; base64url.'],
        }),
      ),
      'What the passkey signed for `passkey_options`.',
    ],
  }),
);
const moreCredentials = {
  email_code: [
    'emailCode',
    object(
      parameters('SessionEmailCode', {
        token: ['token', text],
        code: ['code', text],
      }),
    ),
    'Code or link of a mail, in place of the other credentials.',
  ],
  id_token: [
    'idToken',
    object(
      parameters('SessionIdToken', {
        token: ['token', text, 'ID token of a sign-in provider of the application.'],
        nonce: ['nonce', text, 'The nonce that the client sent to the provider.'],
      }),
    ),
    'ID token of a sign-in provider, in place of the other credentials.',
  ],
  provider_code: [
    'providerCode',
    object(
      parameters('SessionProviderCode', {
        code: ['code', required(textOrEmpty), 'The `provider_code` of the address that the provider returned to.'],
        verifier: ['verifier', required(textOrEmpty), 'The secret whose hash began the sign-in.'],
      }),
    ),
    'Result of a sign-in at a provider, in place of the other credentials.',
  ],
} as const;
const ANSWER = 'Answer to the challenge of a second factor, in place of the other credentials.';
const KEYS = 'Credentials from Facebook or Twitter.';
const FIREBASE = 'Credentials from Firebase phone sign-in.';

/** The operation reads all parameters by itself, because each one is part of the signature. */
const signedFields = {
  application_id: ['applicationId', required(integer), 'Id of the application.'],
  auth_key: ['authKey', required(text), 'Key of the application; not secret.'],
  nonce: ['nonce', required(integer), 'Any integer; each pair with `timestamp` is accepted once.'],
  timestamp: [
    'timestamp',
    required(integer),
    'Unix time in seconds, at most one hour before or after the time of the server.',
  ],
  signature: ['signature', required(text), 'HMAC of the other parameters, in lower-case hex.'],
} as const;
const signedParameters = parameters('CreateSessionInput', {
  ...signedFields,
  user: [
    'user',
    object(parameters('SessionUser', signIn)),
    'Credentials for a user session; omit for an application session.',
  ],
  provider,
  keys: ['keys', keys, KEYS],
  firebase_phone: ['firebasePhone', firebasePhone, FIREBASE],
  ...moreCredentials,
  answer: ['answer', answer, ANSWER],
});

const credentials = parameters('LoginUserInput', {
  ...signIn,
  provider,
  keys: ['keys', keys, KEYS],
  firebase_phone: ['firebasePhone', firebasePhone, FIREBASE],
  ...moreCredentials,
  answer: ['answer', answer, ANSWER],
});

export const sessionRoutes = [
  route({
    method: 'post',
    path: '/session',
    checksTypes: true,
    document: CreateSession,
    parameters: signedParameters,
    variables: (source) => {
      const { parameters } = source;
      requireTextCredentials({ ...parameters, ...(isObject(parameters.user) ? parameters.user : {}) });
      return asSigned(source);
    },
    respond: ({ createSession }) => opened(createSession),
    errors: errorsByField,
    docs: sessionDocs.createSession,
  }),
  route({
    method: 'post',
    path: '/session/guest',
    checksTypes: true,
    document: CreateGuestSession,
    parameters: parameters('CreateSessionInput', signedFields),
    variables: asSigned,
    respond: ({ createGuestSession }) => opened(createGuestSession),
    errors: errorsByField,
    docs: sessionDocs.createGuestSession,
  }),
  route({
    method: 'get',
    path: '/session',
    document: FindSession,
    shape: sessionShape,
    errors: errorsByField,
    docs: sessionDocs.findSession,
  }),
  route({
    method: 'delete',
    path: '/session',
    document: DeleteSession,
    respond: () => ({ endsSession: true }),
    errors: errorsByField,
    docs: sessionDocs.deleteSession,
  }),
  route({
    method: 'post',
    path: '/login',
    checksTypes: true,
    document: LoginUser,
    parameters: credentials,
    variables: (source) => {
      const { parameters } = source;
      const sent = isObject(parameters.user) ? { ...parameters, ...parameters.user } : parameters;
      requireTextCredentials(sent);
      return { input: credentials.read(sent, source) };
    },
    shape: userShape,
    errors: errorsByField,
    docs: sessionDocs.loginUser,
  }),
  route({
    method: 'delete',
    path: '/login',
    document: LogoutUser,
    errors: errorsByField,
    docs: sessionDocs.logoutUser,
  }),
];

function asSigned({ parameters }: ParameterSource) {
  return { parameters: flatten(parameters).map(([name, value]) => ({ name, value })) };
}

function opened(session: FragmentOf<typeof sessionShape> & { expiresAt: Date }): Answer {
  return { body: sessionShape.present(session), expiresAt: session.expiresAt };
}

/** A list or an object is a wrong credential, not a missing one. @throws {WrongPasswordError} {SignInRefusedError} */
function requireTextCredentials({ login, email, password, provider, keys, firebase_phone: phone }: Parameters): void {
  if ([login, email, password].some(isNested)) throw new WrongPasswordError();
  const members = [keys, phone].flatMap((object) => (isObject(object) ? Object.values(object) : []));
  if ([provider, ...members].some(isNested)) throw new SignInRefusedError();
}

function isNested(value: JsonValue | undefined): boolean {
  return typeof value === 'object' && value !== null;
}
