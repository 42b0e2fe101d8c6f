import { sign } from '../../src/lib/signature.ts';
import { unixSeconds } from '../../src/lib/time.ts';
import { APPLICATION, running } from './app.ts';

/** Somebody who calls: headers as they go with every request. */
export interface Caller {
  headers: Record<string, string>;
}

export interface TestUser extends Caller {
  id: number;
  login: string;
  password: string;
  token: string;
}

export const nobody: Caller = { headers: {} };

export const apiKey: Caller = { headers: { Authorization: `ApiKey ${APPLICATION.apiKey}` } };

/** The API key as that user. */
export function onBehalfOf(user: { id: number }): Caller {
  return { headers: { ...apiKey.headers, 'On-Behalf-Of': String(user.id) } };
}

let nonce = 1000;
let userNumber = 0;

/** The signed parameters of a session request. */
export function signedParameters(extra: Record<string, string> = {}): Record<string, string> {
  const parameters: Record<string, string> = {
    application_id: String(APPLICATION.id),
    auth_key: APPLICATION.authKey,
    nonce: String(nonce++),
    timestamp: String(unixSeconds(running.now())),
    ...extra,
  };
  return { ...parameters, signature: sign(Object.entries(parameters), APPLICATION.authSecret, 'sha1') };
}

/** Opens a session over REST. */
export async function openSession(user?: { login: string; password: string }): Promise<Caller & { token: string }> {
  const extra = user ? { 'user[login]': user.login, 'user[password]': user.password } : undefined;
  const response = await fetch(`${running.url}/session.json`, {
    method: 'POST',
    body: new URLSearchParams(signedParameters(extra)),
  });
  if (response.status !== 201) throw new Error(`no session: ${response.status} ${await response.text()}`);
  const { session } = (await response.json()) as { session: { token: string } };
  return { token: session.token, headers: { 'SVC-Token': session.token } };
}

/** A new user with an open session. */
export async function createUser(fields: Record<string, unknown> = {}): Promise<TestUser> {
  const login = `user${++userNumber}`;
  const password = 'password-1';
  const response = await fetch(`${running.url}/users.json`, {
    method: 'POST',
    headers: { ...apiKey.headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ user: { login, password, ...fields } }),
  });
  if (response.status !== 201) throw new Error(`no user: ${response.status} ${await response.text()}`);
  const { user } = (await response.json()) as { user: { id: number; login: string } };
  const { token, headers } = await openSession({ login: user.login, password });
  return { id: user.id, login: user.login, password, token, headers };
}

/** A tuple of so many, so that tests can take it apart. */
type Users<Count extends number, Made extends TestUser[] = []> = Made['length'] extends Count
  ? Made
  : Users<Count, [...Made, TestUser]>;

/** `count` new users, by id. */
export async function createUsers<const Count extends number>(count: Count): Promise<Users<Count>> {
  const users: TestUser[] = [];
  for (let made = 0; made < count; made++) users.push(await createUser());
  return users as Users<Count>;
}
