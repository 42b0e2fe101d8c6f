import { sign } from '../src/lib/signature.ts';
import { APPLICATION } from './service.ts';

export interface Person {
  id: number;
  login: string;
  token: string;
}

/** @throws on an unexpected status */
export async function call(
  url: string,
  status: number,
  { method = 'GET', headers = {}, json }: { method?: string; headers?: Record<string, string>; json?: unknown },
): Promise<string> {
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(json === undefined ? {} : { 'Content-Type': 'application/json' }) },
    body: json === undefined ? undefined : JSON.stringify(json),
  });
  const text = await response.text();
  if (response.status !== status) throw new Error(`${method} ${url}: ${response.status} ${text}`);
  return text;
}

export function tokenHeader({ token }: Person): Record<string, string> {
  return { 'SVC-Token': token };
}

export const PASSWORD = 'bench-password';

export async function createPerson(url: string, login: string): Promise<Person> {
  const id = await createUser(url, login);
  const { session } = JSON.parse(await logIn(url, login));
  return { id, login, token: session.token };
}

/** @returns the id */
export async function createUser(url: string, login: string): Promise<number> {
  const headers = { Authorization: `ApiKey ${APPLICATION.apiKey}` };
  const json = { user: { login, password: PASSWORD } };
  return JSON.parse(await call(`${url}/users.json`, 201, { method: 'POST', headers, json })).user.id;
}

export function logIn(url: string, login: string): Promise<string> {
  return call(`${url}/session.json`, 201, { method: 'POST', json: JSON.parse(loginBody(login)) });
}

let nonce = 0;

/** A signed request; valid once, because of its nonce. */
export function loginBody(login: string): string {
  const parameters = {
    application_id: String(APPLICATION.id),
    auth_key: APPLICATION.authKey,
    nonce: String(++nonce),
    timestamp: String(Math.floor(Date.now() / 1000)),
  };
  const pairs = Object.entries({ ...parameters, 'user[login]': login, 'user[password]': PASSWORD });
  const signature = sign(pairs, APPLICATION.authSecret, 'sha1');
  return JSON.stringify({ ...parameters, user: { login, password: PASSWORD }, signature });
}

export async function createGroup(url: string, [owner, ...others]: Person[], name: string): Promise<string> {
  const dialog = await call(`${url}/chat/Dialog.json`, 201, {
    method: 'POST',
    headers: tokenHeader(owner!),
    json: { type: 2, name, occupants_ids: others.map((person) => person.id) },
  });
  return JSON.parse(dialog)._id;
}

export function messageBody(dialogId: string, message: string): string {
  return JSON.stringify({ chat_dialog_id: dialogId, message, send_to_chat: 1 });
}

export function sendMessage(url: string, sender: Person, dialogId: string, message: string): Promise<string> {
  return call(`${url}/chat/Message.json`, 201, {
    method: 'POST',
    headers: tokenHeader(sender),
    json: JSON.parse(messageBody(dialogId, message)),
  });
}

export async function forEach<Item>(
  items: Iterable<Item>,
  atOnce: number,
  action: (item: Item) => Promise<unknown>,
): Promise<void> {
  const rest = items[Symbol.iterator]();
  const work = async () => {
    for (let next = rest.next(); !next.done; next = rest.next()) await action(next.value);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}
