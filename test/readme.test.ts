import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { createDataDir, type Service, startService } from './support/service.ts';

// The commands of the README, run as they stand there against a fresh service, give the answers printed there.

const ROOT = resolve(import.meta.dirname, '..');
const run = promisify(execFile);

let service: Service;
let folder: Awaited<ReturnType<typeof createDataDir>>;
let commands: string[];
let answers: string[];
let operations: string[];
let files: string;

beforeAll(async () => {
  folder = await createDataDir();
  service = await startService(folder.dataDir);
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  const section = readme.slice(readme.indexOf('## Try it'), readme.indexOf('## What is served'));
  files = readme.slice(readme.indexOf('## Files'), readme.indexOf('## Pushes'));
  commands = blocks(section, 'sh').map((command) =>
    command.replaceAll('http://127.0.0.1:4000', service.url).replaceAll('./data/', `${service.dataDir}/`),
  );
  answers = blocks(section, 'json');
  operations = blocks(section, 'graphql').flatMap((block) => block.split('\n'));
});

afterAll(async () => {
  await service.stop();
  await folder.remove();
});

test('the calls printed in the README give the answers printed there', async () => {
  const [users, message, dialogs, listen, changes, signIn] = commands as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const settings = users.slice(0, users.indexOf('for NAME'));
  const shell = async (command: string) => (await run('bash', ['-c', settings + command])).stdout.trim();

  expect(shape(await shell(users.slice(settings.length)))).toEqual(shape(answers[0]!));
  const sent = await shell(message);
  expect(shape(sent)).toEqual(shape(answers[1]!));
  expect(shape(await shell(dialogs))).toEqual(shape(answers[2]!));

  const listener = spawn('bash', ['-c', `${settings}export USER_ID=2; exec ${listen.replace('USER_ID=2 ', '')} 2`], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await shell(message);
  const [line] = (await once(listener.stdout, 'data')) as [Buffer];
  expect(shape(line.toString().trim())).toEqual(shape(answers[3]!));
  listener.kill();

  expect(shape(await shell(changes))).toEqual(shape(answers[4]!));
  expect(await heardLive(operations, JSON.parse(sent).chat_dialog_id)).toEqual(answers[5]!.split('\n'));
  expect(shape(await shell(signIn))).toEqual(shape(answers[6]!));
});

test('the class, the records and the subscription of the README give the answers printed there', async () => {
  const [users, , , , , , defining, storing, typed] = commands as [string, ...string[]];
  const settings = users.slice(0, users.indexOf('for NAME'));
  const shell = async (command: string | undefined) => (await run('bash', ['-c', settings + command])).stdout.trim();

  expect(shape(await shell(defining))).toEqual(shape(answers[7]!));
  const { apiKey } = JSON.parse(await readFile(join(service.dataDir, 'credentials.json'), 'utf8'));
  const bob = createClient({
    url: `${service.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { Authorization: `ApiKey ${apiKey}`, 'On-Behalf-Of': '2' },
  });
  // From before the first event on, so that it does not matter when the service listens.
  const query = operations[3]!.replace('carChanged(', 'carChanged(since: "0", ');
  const heard = bob.iterate({ query }).next();
  expect(shape(await shell(storing))).toEqual(shape(answers[8]!));
  expect(shape(await shell(typed))).toEqual(shape(answers[9]!));
  expect(JSON.stringify((await heard).value)).toEqual(answers[10]);
  await bob.dispose();
});

test('so do those about files', async () => {
  const [first] = commands as [string];
  const settings = first.slice(0, first.indexOf('for NAME'));
  const { stdout } = await run('bash', ['-c', settings + blocks(files, 'sh').join('\n')], { cwd: ROOT });
  const [printed] = blocks(files, 'text') as [string];
  expect(shape(stdout.trim())).toEqual(shape(printed.replaceAll('http://127.0.0.1:4000', service.url)));
});

test('so do those about contacts, places and models', async () => {
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  const section = readme.slice(readme.indexOf('## Contacts, places and models'), readme.indexOf('## Configuration'));
  const [settings] = commands as [string];
  const printed = blocks(section, 'json');
  for (const [index, command] of blocks(section, 'sh').entries()) {
    const { stdout } = await run('bash', ['-c', settings.slice(0, settings.indexOf('for NAME')) + command]);
    expect(shape(stdout.trim())).toEqual(shape(printed[index]!));
  }
  expect(printed).toHaveLength(3);
});

test('the README names every variable of the configuration', async () => {
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  const config = await readFile(join(ROOT, 'src/config.ts'), 'utf8');
  const names = [...config.matchAll(/^ {2}([A-Z_]+): /gm)].map((match) => match[1]!);
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
});

/** What the subscriptions of the README tell Bob first of Alice, and what her mutation gives, each as it is printed there. */
async function heardLive(operations: string[], dialogId: string): Promise<string[]> {
  const { apiKey } = JSON.parse(await readFile(join(service.dataDir, 'credentials.json'), 'utf8'));
  const clientOf = (userId: number) =>
    createClient({
      url: `${service.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { Authorization: `ApiKey ${apiKey}`, 'On-Behalf-Of': String(userId) },
      lazy: false,
    });
  const [alice, bob] = [clientOf(1), clientOf(2)];
  const ofDialog = (operation: string) => operation.replace(/[0-9a-f]{24}/, dialogId);
  const [typing, presence, startTyping] = operations.map((query) => ({ query: ofDialog(query) })) as [
    { query: string },
    { query: string },
    { query: string },
  ];
  const online = (async () => {
    for await (const told of bob.iterate<{ presence: { online: boolean } }>(presence)) {
      if (told.data?.presence.online) return told;
    }
    return undefined;
  })();
  const typed = bob.iterate(typing).next();
  let heard: unknown;
  void typed.then(({ value }) => {
    heard = value;
  });
  let answer: unknown;
  while (!heard) answer = (await alice.iterate(startTyping).next()).value;
  const printed = [heard, await online, answer].map((told) => JSON.stringify(told));
  await Promise.all([alice.dispose(), bob.dispose()]);
  return printed;
}

function blocks(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\n\`\`\``, 'g'))].map((match) => match[1]!);
}

/** The answer with ids and moments, which differ from run to run, replaced by what they are. */
function shape(text: string): string {
  return text
    .replace(/"[0-9a-f]{24}"/g, '"<id>"')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, '<moment>')
    .replace(/"(date_sent|ts|nonce|created_at|updated_at|created_at_timestamp)":\d+/g, '"$1":<number>')
    .replace(/"[0-9a-f]{40}"/g, '"<token>"')
    .replace(/\b[0-9a-f]{34}\b/g, '<uid>')
    .replace(/"[0-9a-f]{32}"/g, '"<md5>"')
    .replace(/"size":\d+/g, '"size":<number>')
    .replace(/"last_request_at":(null|"<moment>")/g, '"last_request_at":<any>');
}
