import { flatten, isObject, type Parameters, type ParameterValue } from '../lib/bracket-keys.ts';
import { SignInRefusedError, WrongPasswordError } from '../lib/errors.ts';
import { readText } from '../lib/parameter-values.ts';
import { errorsByField } from './errors.ts';
import { graphql } from './graphql.ts';
import { type Answer, created, empty, ok, route } from './http/route.ts';
import { sessionDocs } from './openapi/docs/sessions.ts';
import { sessionShape } from './shapes/session.ts';
import { userShape } from './shapes/user.ts';

const CreateSession = graphql(
  `mutation CreateSession($parameters: [SignedParameter!]!) {
    createSession(input: { parameters: $parameters }) { ...SessionFields expiresAt }
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

export const sessionRoutes = [
  route({
    method: 'post',
    path: '/session',
    refusesWrongTypes: true,
    document: CreateSession,
    variables: ({ parameters }) => {
      requireTextCredentials({ ...parameters, ...(isObject(parameters.user) ? parameters.user : {}) });
      return { parameters: flatten(parameters).map(([name, value]) => ({ name, value })) };
    },
    respond: ({ createSession }): Answer => ({
      ...created(sessionShape.present(createSession)),
      expiresAt: createSession.expiresAt,
    }),
    errors: errorsByField,
    docs: sessionDocs.createSession,
  }),
  route({
    method: 'get',
    path: '/session',
    document: FindSession,
    variables: () => ({}),
    respond: ({ session }) => ok(sessionShape.present(session)),
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
    variables: ({ parameters }) => ({
      input: loginInput(isObject(parameters.user) ? { ...parameters, ...parameters.user } : parameters),
    }),
    respond: ({ loginUser }) => ok(userShape.present(loginUser)),
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

/** A list or an object is a wrong credential, not a missing one. @throws {WrongPasswordError} {SignInRefusedError} */
function requireTextCredentials({ login, email, password, provider, keys, firebase_phone: phone }: Parameters): void {
  if ([login, email, password].some(isNested)) throw new WrongPasswordError();
  const members = [keys, phone].flatMap((object) => (isObject(object) ? Object.values(object) : []));
  if ([provider, ...members].some(isNested)) throw new SignInRefusedError();
}

function isNested(value: ParameterValue | undefined): boolean {
  return typeof value === 'object' && value !== null;
}

function loginInput(parameters: Parameters) {
  requireTextCredentials(parameters);
  const { login, email, password, provider, keys, firebase_phone: phone } = parameters;
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
