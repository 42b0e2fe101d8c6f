import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../support/app/redis.ts';
import { createDataDir, exitCode, type Service, startService } from '../../support/app/service.ts';
import { until } from '../../support/clients/websocket.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

let folder: Awaited<ReturnType<typeof createDataDir>>;
let port: string;
let service: Service;
let key: string;
let alice: number;
let bob: number;
const listeners: ChildProcess[] = [];

beforeAll(async () => {
  folder = await createDataDir();
  port = String(await freePort());
  service = await startService(folder.dataDir, { PORT: port });
  key = JSON.parse(await readFile(join(folder.dataDir, 'credentials.json'), 'utf8')).apiKey;
  [alice, bob] = [await signUp('alice'), await signUp('bob')];
});

afterEach(async () => {
  for (const child of listeners.splice(0)) {
    child.kill();
    await exitCode(child);
  }
});

afterAll(async () => {
  await service.stop();
  await folder.remove();
});

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
async function post(path: string, body: object, headers: Record<string, string> = {}): Promise<any> {
  const response = await fetch(service.url + path, {
    method: 'POST',
    headers: { Authorization: `ApiKey ${key}`, 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

async function signUp(login: string): Promise<number> {
  return (await post('/users', { user: { login, password: 'correct-horse' } })).user.id;
}

const write = (message: string) =>
  post('/chat/Message', { recipient_id: bob, message, send_to_chat: 1 }, { 'On-Behalf-Of': String(alice) });

interface Example {
  child: ChildProcess;
  // biome-ignore lint/suspicious/noExplicitAny: events of every type
  events: () => any[];
  complaints: () => string;
}

function startListening(cursor?: string, env: Record<string, string> = {}): Example {
  const child = spawn(process.execPath, ['examples/listen.mjs', ...(cursor === undefined ? [] : [cursor])], {
    cwd: ROOT,
    env: { ...process.env, URL: service.url, KEY: key, USER_ID: String(bob), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  listeners.push(child);
  let [printed, complained] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complained += text;
  });
  return {
    child,
    events: () =>
      printed
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
    complaints: () => complained,
  };
}

const texts = ({ events }: Example) => events().flatMap(({ message }) => (message ? [message.text] : []));

async function listening(env: Record<string, string> = {}): Promise<Example> {
  const example = startListening(undefined, env);
  let nth = 0;
  await until(async () => {
    await write(`are you there ${++nth}`);
    return texts(example).length > 0;
  });
  await until(() => texts(example).at(-1) === `are you there ${nth}`);
  return example;
}

test('listen.mjs prints all events, and resumes from a cursor without gaps or duplicates', async () => {
  const first = await listening();
  const { _id: id } = await write('seen');
  await until(() => texts(first).at(-1) === 'seen');
  const { cursor } = first.events().at(-1);
  first.child.kill();
  await exitCode(first.child);
  await post(`/chat/Message/${id}/reactions`, { name: 'like' }, { 'On-Behalf-Of': String(alice) });
  await write('missed');
  const second = startListening(cursor);
  await until(() => second.events().length === 2);
  await write('live');
  await until(() => second.events().length === 3);
  const event = { cursor: expect.stringMatching(/^\d+$/), dialogId: expect.any(String) };
  const sent = (text: string) => ({
    __typename: 'MessageSent',
    ...event,
    message: { id: expect.any(String), senderId: alice, text },
  });
  expect(second.events()).toEqual([
    { __typename: 'ReactionAdded', ...event, messageId: id, userId: alice, name: 'like' },
    sent('missed'),
    sent('live'),
  ]);
});

test('listen.mjs misses and duplicates nothing when the service is killed or stopped and restarted', async () => {
  const example = await listening();
  const before = texts(example).length;
  for (const end of ['kill', 'stop'] as const) {
    await write(`before the ${end}`);
    await until(() => texts(example).at(-1) === `before the ${end}`);
    await service[end]();
    service = await startService(folder.dataDir, { PORT: port });
    await write(`after the ${end}`);
    await until(() => texts(example).at(-1) === `after the ${end}`);
  }
  expect(texts(example).slice(before)).toEqual([
    'before the kill',
    'after the kill',
    'before the stop',
    'after the stop',
  ]);
});

test('listen.mjs waits for a service that is not running yet', async () => {
  await service.stop();
  const example = startListening();
  await once(example.child, 'spawn');
  service = await startService(folder.dataDir, { PORT: port });
  await until(async () => {
    await write('hello');
    return texts(example).length > 0;
  });
  expect(example.complaints()).toMatch(/^(no connection to \S+; trying again\n)+$/);
});

test('listen.mjs continues from the present when its cursor has expired, and reports it', async () => {
  const example = startListening('999999999');
  await until(() => example.complaints().includes('missed events are no longer available'));
  await until(async () => {
    await write('hello');
    return texts(example).length > 0;
  });
});

test('listen.mjs with an API key alone receives the events of every dialog', async () => {
  const example = await listening({ USER_ID: '' });
  expect(texts(example).length).toBeGreaterThan(0);
});

test.each([
  ['a wrong key', undefined, { KEY: 'wrong' }, 'KEY, USER_ID or TOKEN is wrong'],
  ['an unknown user', undefined, { USER_ID: '999' }, 'KEY, USER_ID or TOKEN is wrong'],
  ['a wrong token', undefined, { TOKEN: 'wrong' }, 'KEY, USER_ID or TOKEN is wrong'],
  ['an invalid cursor', 'x', {}, 'Invalid cursor'],
])('listen.mjs exits with %s', async (_name, cursor, env, complaint) => {
  const example = startListening(cursor, env);
  expect(await exitCode(example.child)).toBe(1);
  expect(example.complaints()).toContain(complaint);
});
