import { flatten, isObject, type Parameters, type ParameterValue } from '../lib/bracket-keys.ts';
import { SignInRefusedError, WrongPasswordError } from '../lib/errors.ts';
import { readText } from '../lib/parameter-values.ts';
import { isoSeconds } from '../lib/time.ts';
import { errorsByField } from './errors.ts';
import { type FragmentOf, graphql, readFragment } from './graphql.ts';
import { type Answer, created, empty, ok, route } from './http/route.ts';
import { sessionDocs } from './openapi/docs/sessions.ts';
import { presentUser, UserFields } from './user-fields.ts';

const SessionFields = graphql(`fragment SessionFields on Session {
  id applicationId userId nonce timestamp token createdAt updatedAt expiresAt
}`);

const CreateSession = graphql(
  `mutation CreateSession($parameters: [SignedParameter!]!) {
    createSession(input: { parameters: $parameters }) { ...SessionFields }
  }`,
  [SessionFields],
);

const FindSession = graphql(`query FindSession { session { ...SessionFields } }`, [SessionFields]);

const DeleteSession = graphql(`mutation DeleteSession { deleteSession }`);

const LoginUser = graphql(
  `mutation LoginUser($input: LoginUserInput!) { loginUser(input: $input) { ...UserFields } }`,
  [UserFields],
);

const LogoutUser = graphql(`mutation LogoutUser { logoutUser }`);

export const sessionRoutes = [
  route({
    method: 'post',
    path: '/session',
    refusesWrongTypes: true,
    document: CreateSession,
    variables: ({ given }) => {
      requireTextCredentials({ ...given, ...(isObject(given.user) ? given.user : {}) });
      return { parameters: flatten(given).map(([name, value]) => ({ name, value })) };
    },
    respond: ({ createSession }): Answer => ({
      ...created(presentSession(createSession)),
      expiresAt: readFragment(SessionFields, createSession).expiresAt,
    }),
    errors: errorsByField,
    docs: sessionDocs.createSession,
  }),
  route({
    method: 'get',
    path: '/session',
    document: FindSession,
    variables: () => ({}),
    respond: ({ session }) => ok(presentSession(session)),
    errors: errorsByField,
    docs: sessionDocs.findSession,
  }),
  route({
    method: 'delete',
    path: '/session',
    document: DeleteSession,
    variables: () => ({}),
    respond: (): Answer => ({ ...empty(), endsSession: true }),
    errors: errorsByField,
    docs: sessionDocs.deleteSession,
  }),
  route({
    method: 'post',
    path: '/login',
    refusesWrongTypes: true,
    document: LoginUser,
    variables: ({ given }) => ({ input: loginInput(isObject(given.user) ? { ...given, ...given.user } : given) }),
    respond: ({ loginUser }) => ok(presentUser(loginUser)),
    errors: errorsByField,
    docs: sessionDocs.loginUser,
  }),
  route({
    method: 'delete',
    path: '/login',
    document: LogoutUser,
    variables: () => ({}),
    respond: empty,
    errors: errorsByField,
    docs: sessionDocs.logoutUser,
  }),
];

/**
 * A list or an object is a wrong credential, not a missing one.
 * @throws {WrongPasswordError} @throws {SignInRefusedError}
 */
function requireTextCredentials({ login, email, password, provider, keys, firebase_phone: phone }: Parameters): void {
  if ([login, email, password].some(isNested)) throw new WrongPasswordError();
  const members = [keys, phone].flatMap((object) => (isObject(object) ? Object.values(object) : []));
  if ([provider, ...members].some(isNested)) throw new SignInRefusedError();
}

function isNested(value: ParameterValue | undefined): boolean {
  return typeof value === 'object' && value !== null;
}

function loginInput(given: Parameters) {
  requireTextCredentials(given);
  const { login, email, password, provider, keys, firebase_phone: phone } = given;
  return {
    login: readText(login),
    email: readText(email),
    password: readText(password),
    provider: readText(provider),
    keys: isObject(keys) ? { token: readText(keys.token), secret: readText(keys.secret) } : undefined,
    firebasePhone: isObject(phone)
      ? { accessToken: readText(phone.access_token), projectId: readText(phone.project_id) }
      : undefined,
  };
}

function presentSession(masked: FragmentOf<typeof SessionFields>) {
  const session = readFragment(SessionFields, masked);
  return {
    session: {
      _id: String(session.id),
      application_id: session.applicationId,
      created_at: isoSeconds(session.createdAt),
      id: session.id,
      nonce: session.nonce,
      token: session.token,
      ts: session.timestamp,
      updated_at: isoSeconds(session.updatedAt),
      user_id: session.userId ?? 0,
    },
  };
}
