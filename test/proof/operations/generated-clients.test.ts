import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { installTools } from '../../../scripts/tools.ts';
import { sign } from '../../../src/lib/signature.ts';
import { registryProblem } from '../../support/app/registry.ts';
import { createDataDir, type Service, startService } from '../../support/app/service.ts';

// Generates clients from the OpenAPI document. Each signs in, sends a message and lists dialogs and messages.

const ROOT = resolve(import.meta.dirname, '../../..');
const run = promisify(execFile);
const folderOf = (name: string) => dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));

const problem = await registryProblem();
if (problem)
  process.stdout.write(`openapi-typescript is skipped, because the registry of npm does not answer: ${problem}\n`);

let folder: Awaited<ReturnType<typeof createDataDir>>;
let service: Service;
let place: string;
let env: Record<string, string>;

beforeAll(async () => {
  folder = await createDataDir();
  service = await startService(folder.dataDir);
  place = await mkdtemp(join(tmpdir(), 'atrium-generated-'));
  const credentials = JSON.parse(await readFile(join(folder.dataDir, 'credentials.json'), 'utf8'));
  const ids: string[] = [];
  for (const login of ['alice', 'bob']) {
    const response = await fetch(`${service.url}/users.json`, {
      method: 'POST',
      headers: { Authorization: `ApiKey ${credentials.apiKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ user: { login, password: 'correct-horse' } }),
    });
    ids.push(String((await response.json()).user.id));
  }
  const signed = signedSession(credentials, { login: 'alice', password: 'correct-horse' });
  env = { ...(process.env as Record<string, string>), URL: service.url, SIGNED: JSON.stringify(signed), BOB: ids[1]! };
  const document = await fetch(`${service.url}/openapi.json`);
  await writeFile(join(place, 'openapi.json'), await document.text());
});

afterAll(async () => {
  await service.stop();
  await folder.remove();
  await rm(place, { recursive: true, force: true });
});

/** The body of a request for a session of a user. */
function signedSession(
  { applicationId, authKey, authSecret }: { applicationId: number; authKey: string; authSecret: string },
  user: { login: string; password: string },
): object {
  const body = { application_id: applicationId, auth_key: authKey, nonce: 1, timestamp: Math.floor(Date.now() / 1000) };
  const parameters = Object.entries(body).map(([name, value]): [string, string] => [name, String(value)]);
  const ofUser = Object.entries(user).map(([name, value]): [string, string] => [`user[${name}]`, value]);
  return { ...body, user, signature: sign([...parameters, ...ofUser], authSecret, 'sha1') };
}

const EXPECTED = { session: true, sent: 'Lunch?', dialogs: [['bob', 'Lunch?']], messages: ['Lunch?'], missing: 404 };

const TYPESCRIPT = `import createClient from 'openapi-fetch';
import type { components, paths } from './api.d.ts';

const { URL: baseUrl = '', SIGNED = '', BOB = '' } = process.env;
type SignedSession = NonNullable<paths['/session']['post']['requestBody']>['content']['application/json'];

const api = createClient<paths>({ baseUrl });
const { data: created } = await api.POST('/session', { body: JSON.parse(SIGNED) as SignedSession });
if (!created) throw new Error('no session');
const headers = { 'SVC-Token': created.session.token };
const message = { recipient_id: Number(BOB), message: 'Lunch?', send_to_chat: 1 } as const;
const { data: sent } = await api.POST('/chat/Message', { headers, body: message });
if (!sent) throw new Error('not sent');
const dialogs = await api.GET('/chat/Dialog', { headers, params: { query: { limit: 10 } } });
const messages = await api.GET('/chat/Message', { headers, params: { query: { chat_dialog_id: sent.chat_dialog_id } } });
const missing = await api.GET('/chat/Message', {
  headers,
  params: { query: { chat_dialog_id: 'ffffffffffffffffffffffff' } },
});
const token: string = created.session.token;
// With the parameter "count", a list is a number.
function listed<Item>(items: Item[] | { count: number } | undefined): Item[] {
  return Array.isArray(items) ? items : [];
}
console.log(
  JSON.stringify({
    session: token.length > 0,
    sent: sent.message,
    dialogs: listed(dialogs.data?.items).map(({ name, last_message }) => [name, last_message]),
    messages: listed(messages.data?.items).map(({ message }) => message),
    missing: missing.response.status,
  }),
);
// The types are not loose.
// @ts-expect-error a path that does not exist
void (() => api.GET('/chat/Dialogue'));
// @ts-expect-error a text in place of a number
void (() => api.POST('/chat/Message', { headers, body: { recipient_id: {}, message: 'Lunch?' } }));
export type Known = components['schemas'];
`;

test.skipIf(problem)(
  'a TypeScript client of openapi-typescript and openapi-fetch compiles, signs in, sends and lists',
  async () => {
    const tools = join(installTools('openapi-client'), 'node_modules');
    const cli = join(tools, 'openapi-typescript/bin/cli.js');
    await run(process.execPath, [cli, join(place, 'openapi.json'), '-o', join(place, 'api.d.ts')]);

    await writeFile(join(place, 'client.ts'), TYPESCRIPT);
    await mkdir(join(place, 'node_modules/@types'), { recursive: true });
    for (const name of ['openapi-fetch', 'openapi-typescript-helpers'])
      await symlink(join(tools, name), join(place, 'node_modules', name), 'junction');
    await symlink(join(ROOT, 'node_modules/@types/node'), join(place, 'node_modules/@types/node'), 'junction');
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      target: 'ES2022',
      module: 'nodenext',
      lib: ['ES2022', 'DOM'],
      types: ['node'],
      allowImportingTsExtensions: true,
      noEmit: true,
    };
    await writeFile(join(place, 'package.json'), '{ "type": "module" }');
    await writeFile(join(place, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    const tsc = join(folderOf('typescript'), 'bin/tsc');
    const { stdout: complaints } = await run(process.execPath, [tsc, '-p', place]).catch((failed) => failed);
    expect(complaints).toBe('');

    const outfile = join(place, 'client.mjs');
    await build({ entryPoints: [join(place, 'client.ts')], outfile, bundle: true, platform: 'node', format: 'esm' });
    const { stdout } = await run(process.execPath, [outfile], { env });
    expect(JSON.parse(stdout)).toEqual(EXPECTED);
  },
);

const PYTHON = `import json, os
from atrium_client import AuthenticatedClient, Client
from atrium_client.api.dialogs import list_dialogs
from atrium_client.api.messages import read_messages, send_message
from atrium_client.api.sessions import create_session
from atrium_client.models import CreateSessionBody, SendMessageBody

url = os.environ["URL"]
signed = CreateSessionBody.from_dict(json.loads(os.environ["SIGNED"]))
token = create_session.sync(client=Client(base_url=url), body=signed).session.token
client = AuthenticatedClient(base_url=url, token=token, prefix="", auth_header_name="SVC-Token")
content = {"recipient_id": int(os.environ["BOB"]), "message": "Lunch?", "send_to_chat": 1}
sent = send_message.sync(client=client, body=SendMessageBody.from_dict(content))
dialogs = list_dialogs.sync(client=client, limit=10)
messages = read_messages.sync(client=client, chat_dialog_id=sent.chat_dialog_id)
missing = read_messages.sync_detailed(client=client, chat_dialog_id="f" * 24)
print(json.dumps({
    "session": len(token) > 0,
    "sent": sent.message,
    "dialogs": [[one.name, one.last_message] for one in dialogs.items],
    "messages": [one.message for one in messages.items],
    "missing": missing.status_code.value,
}))
`;

/** openapi-python-client 0.29 writes invalid code for operations that accept several types of bodies. */
function withoutForms(document: string): string {
  const { paths, ...others } = JSON.parse(document);
  const operations = Object.values<Record<string, { requestBody?: { content: Record<string, unknown> } }>>(paths);
  for (const { requestBody } of operations.flatMap((path) => Object.values(path))) {
    if (requestBody) delete requestBody.content['application/x-www-form-urlencoded'];
  }
  return JSON.stringify({ paths, ...others });
}

const hasPython = await run('openapi-python-client', ['--version']).then(
  () => true,
  () => false,
);
if (!hasPython) process.stdout.write('the Python client is skipped, because openapi-python-client is not installed\n');

test.skipIf(!hasPython)('a Python client of openapi-python-client signs in, sends and lists', async () => {
  const output = join(place, 'atrium_client');
  const path = join(place, 'without-forms.json');
  await writeFile(path, withoutForms(await readFile(join(place, 'openapi.json'), 'utf8')));
  const options = ['--path', path, '--meta', 'none', '--output-path', output];
  const generated = await run('openapi-python-client', ['generate', ...options]);
  expect(generated.stdout + generated.stderr).not.toContain('Endpoint will not be generated');
  await writeFile(join(place, 'client.py'), PYTHON);
  const { stdout } = await run('python3', [join(place, 'client.py')], { cwd: place, env });
  expect(JSON.parse(stdout)).toEqual(EXPECTED);
});
