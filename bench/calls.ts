import { randomInt } from 'node:crypto';
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

export async function createPerson(url: string, login: string, application = APPLICATION): Promise<Person> {
  const password = 'bench-password';
  const headers = { Authorization: `ApiKey ${application.apiKey}` };
  const { user } = JSON.parse(
    await call(`${url}/users.json`, 201, { method: 'POST', headers, json: { user: { login, password } } }),
  );
  const json = signInBody(login, password, application);
  const { session } = JSON.parse(await call(`${url}/session.json`, 201, { method: 'POST', json }));
  return { id: user.id, login, token: session.token };
}

export function signInBody(login: string, password: string, application = APPLICATION): object {
  const parameters = {
    application_id: String(application.id),
    auth_key: application.authKey,
    nonce: String(randomInt(2 ** 31)),
    timestamp: String(Math.floor(Date.now() / 1000)),
  };
  const pairs = Object.entries({ ...parameters, 'user[login]': login, 'user[password]': password });
  return { ...parameters, user: { login, password }, signature: sign(pairs, application.authSecret, 'sha1') };
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

/** For setups that several measurements share. */
export function once<Item>(create: () => Promise<Item>): () => Promise<Item> {
  let created: Promise<Item> | undefined;
  return () => {
    created ??= create();
    return created;
  };
}
