import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDataDir, type Service, startService } from '../../support/app/service.ts';

// Uses the package like an app outside of the repository: packed, installed, with the code of its documentation.

const ROOT = resolve(import.meta.dirname, '../../..');
const run = promisify(execFile);
const TSC = createRequire(import.meta.url)
  .resolve('typescript/package.json')
  .replace('package.json', 'bin/tsc');

let app: string;
let folder: Awaited<ReturnType<typeof createDataDir>>;
let service: Service;
let env: Record<string, string>;
const files = new Map<string, string>();
const printed = new Map<string, string>();

beforeAll(async () => {
  app = await mkdtemp(join(tmpdir(), 'atrium-app-'));
  await run(process.execPath, ['packages/client/build.mjs'], { cwd: ROOT });
  const installed = join(app, 'node_modules/@atrium/client');
  await mkdir(join(app, 'node_modules/@types'), { recursive: true });
  await mkdir(installed, { recursive: true });
  const npm = ['pack', './packages/client', '--ignore-scripts', '--pack-destination', app];
  await run('npm', npm, { cwd: ROOT, shell: process.platform === 'win32' });
  await run('tar', ['-xzf', join(app, 'atrium-client-0.2.0.tgz'), '-C', installed, '--strip-components=1']);
  // Copied, because the types of a linked package would find `graphql` in the repository.
  await cp(join(ROOT, 'node_modules/@0no-co'), join(app, 'node_modules/@0no-co'), { recursive: true });
  for (const name of ['ws', '@types/node', '@types/ws']) {
    await symlink(join(ROOT, 'node_modules', name), join(app, 'node_modules', name), 'junction');
  }
  await writeFile(join(app, 'package.json'), '{ "type": "module" }');
  await writeFile(
    join(app, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        strict: true,
        target: 'ES2022',
        module: 'nodenext',
        lib: ['ES2022', 'DOM'],
        types: ['node'],
        allowImportingTsExtensions: true,
        noEmit: true,
      },
      include: ['*.ts'],
    }),
  );
  const names = ['web-app', 'live-ui', 'chat-app', 'password-reset', 'tutorials/first-ten-minutes'];
  const guides = names.map((name) => `docs/${name}.md`);
  for (const name of ['packages/client/README.md', ...guides]) {
    const text = await readFile(join(ROOT, name), 'utf8');
    for (const [, code, file, , output] of text.matchAll(
      /```ts(?: tab=\w+)?\n(\/\/ (\S+\.ts)\n[\s\S]*?)```\n(\n```text\n([\s\S]*?)```)?/g,
    )) {
      files.set(file!, code!);
      if (output) printed.set(file!, output);
    }
    expect(text.match(/```ts\b.*\n(?!\/\/ \S+\.ts\n)/g)).toBeNull(); // a block without a file name would not be checked
  }

  folder = await createDataDir();
  service = await startService(folder.dataDir);
  const made = JSON.parse(await readFile(join(folder.dataDir, 'credentials.json'), 'utf8'));
  env = {
    ATRIUM_URL: service.url,
    ATRIUM_API_KEY: made.apiKey,
    APPLICATION_ID: String(made.applicationId),
    AUTH_KEY: made.authKey,
    AUTH_SECRET: made.authSecret,
  };
  await fetch(`${service.url}/class.json`, {
    method: 'POST',
    headers: { Authorization: `ApiKey ${made.apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'cars', fields: { make: 'String', value: 'Integer' } }),
  });
  await atriumTypes([service.url, 'atrium-env.d.ts']);
}, 300_000);

afterAll(async () => {
  await service.stop();
  await folder.remove();
  await rm(app, { recursive: true, force: true });
});

function atriumTypes(args: string[], settings: Record<string, string> = {}) {
  const bin = join(app, 'node_modules/@atrium/client/bin/types.mjs');
  return run(process.execPath, [bin, ...args], { cwd: app, env: { ...process.env, ...env, ...settings } });
}

async function compile(sources: Map<string, string>): Promise<string> {
  for (const [name, code] of sources) await writeFile(join(app, name), code);
  const { stdout } = await run(process.execPath, [TSC, '-p', '.'], { cwd: app }).catch((failed) => failed);
  for (const name of sources.keys()) await rm(join(app, name));
  return stdout;
}

async function bundled(entry: string, sources: Map<string, string>): Promise<string> {
  for (const [name, code] of sources) await writeFile(join(app, name), code);
  const outfile = join(app, entry.replace('.ts', '.bundle.mjs'));
  const options = { bundle: true, platform: 'node', format: 'esm', target: 'node20' } as const;
  await build({ ...options, entryPoints: [join(app, entry)], outfile, external: ['ws'], logLevel: 'silent' });
  for (const name of sources.keys()) await rm(join(app, name));
  return outfile;
}

test('all code of the documentation compiles in a separate app', async () => {
  expect([...files.keys()].sort()).toEqual([
    'account.ts',
    'atrium.ts',
    'cars.ts',
    'chat.ts',
    'connection-banner.ts',
    'dialogs.ts',
    'forgot-password.ts',
    'live-cars.ts',
    'live-dialog.ts',
    'lunch.ts',
    'main.ts',
    'new-password.ts',
    'tags.ts',
    'task-api-banner.ts',
    'tasks.ts',
    'watched-cars.ts',
    'who.ts',
  ]);
  expect(await compile(files)).toBe('');
});

test.each(['chat.ts', 'cars.ts'])('%s of the README prints the documented output', async (name) => {
  const { stdout } = await run(process.execPath, [await bundled(name, files)], { env: { ...process.env, ...env } });
  expect(stdout).toBe(printed.get(name));
});

test('the task API of the README sends and shows a message', async () => {
  const bundle = await bundled('tasks.ts', files);
  const { stdout } = await run(process.execPath, [bundle], { env: { ...process.env, ...env } });
  expect(stdout.split('\n')[0]).toBe('Lunch?');
});

test('the code of the guides forms a working web app: sign-up, a private dialog and live messages', async () => {
  // Carl opens a dialog with Dora and shows it, Dora answers.
  const page = `import { WebSocket } from 'ws';
import { signIn, signUp } from './account.ts';
import { connect } from './atrium.ts';
import { openPrivate, send, showDialog, showDialogs } from './dialogs.ts';
import { showDialog as showLive } from './live-dialog.ts';
globalThis.WebSocket = WebSocket;
const start = () => connect(process.env.ATRIUM_URL, Number(process.env.APPLICATION_ID));
const [dora, carl] = [start(), start()];
await signUp(dora, 'dora', 'correct-horse');
console.log(await signUp(carl, 'dora', 'correct-horse'), await signIn(carl, 'dora', 'wrong-horse'));
await signUp(carl, 'carl', 'correct-horse');
const { id } = await openPrivate(carl, 'dora');
const named = new Promise((resolve) => showDialogs(dora, (dialogs) => dialogs[0] && resolve(dialogs[0].name)));
const answered = new Promise((resolve) => {
  showDialog(carl, id, ({ messages }) => {
    if (messages.length === 2 && messages.every(({ state }) => state === 'sent')) resolve(messages.map(({ text }) => text));
  });
});
let hasAnswered = false;
const live = new Promise((resolve) => {
  showLive(dora.client, id, (messages) => {
    // Shown again if the event arrives after it was loaded.
    if (messages.length === 1 && !hasAnswered) send(dora, id, 'Yes!');
    hasAnswered ||= messages.length === 1;
    if (messages.length === 2) resolve(messages.length);
  });
});
send(carl, id, 'Lunch?');
console.log(await named, await answered, await live);
dora.close();
carl.close();
`;
  const { stdout } = await run(process.execPath, [await bundled('page.ts', new Map([...files, ['page.ts', page]]))], {
    env: { ...process.env, ...env },
  });
  expect(stdout).toBe("{ login: [ 'has already been taken' ] } undefined\ncarl [ 'Lunch?', 'Yes!' ] 2\n");
});

test('documents that the service would reject do not compile, and the error says why', async () => {
  const wrong = `import { createClient, graphql, type Session } from '@atrium/client';
const client = createClient({ url: 'http://127.0.0.1' });
const ME = graphql(\`{ me { id } }\`);
const DIALOG = graphql(\`query ($id: ID!) { dialog(id: $id) { name } }\`);
export const wrong = async () => {
  (await client.query(ME)).me.login; // not selected
  await client.query(DIALOG); // variables are missing
  await client.query(DIALOG, { id: true }); // wrong type
  await client.query(DIALOG, { id: '1', other: 2 }); // unknown variable
  await client.signIn({ login: 'alice' }); // no password
  const { userId }: Session = client.session; // may be undefined
  return userId;
};
`;
  const lines = [6, 7, 8, 9, 10, 11];
  const documents: [document: string, reason: string][] = [
    ['{ me { nickname } }', "Type 'User' has no field 'nickname'"],
    ['{ mee { id } }', "Type 'Query' has no field 'mee'"],
    ['{ me }', "Field 'me' of type 'User' needs a selection: me { … }"],
    ['{ me { id { x } } }', "Field 'id' of type 'Int' has no fields to select"],
    ['{ me { id }', 'Syntax error in the document'],
    ['{ me { id } } }', 'Syntax error in the document'],
    ['{ dialog { id } }', "Field 'dialog' needs the argument 'id'"],
    ['{ dialog(id: 1, foo: 2) { id } }', "Field 'dialog' has no argument 'foo'"],
    ['{ me(id: 1) { id } }', "Field 'me' has no arguments"],
    ['query ($id: Int!) { dialog(id: $id) { id } }', "Variable '$id' has the wrong type for 'id'"],
    ['query ($id: ID) { dialog(id: $id) { id } }', "Variable '$id' has the wrong type for 'id'"],
    ['{ dialog(id: $id) { id } }', "Variable '$id' is not declared"],
    ['{ me { ...Missing } }', "There is no fragment 'Missing'"],
    ['mutation ($input: SendMesageInput!) { __typename }', "There is no type 'SendMesageInput'"],
    ['{ users(orderBy: { field: AGE, direction: ASC }) { totalCount } }', "'field' has no value 'AGE'"],
    ['{ users(orderBy: { field: ID }) { totalCount } }', "'UserOrder' needs the argument 'direction'"],
    ['{ users(first: "2") { totalCount } }', "'first' should be of type 'Int'"],
    [
      'subscription ($since: String) { dialogEvents(since: $since) { ... on Nothing { cursor } } }',
      "There is no type 'Nothing'",
    ],
  ];
  const checked = documents.map(([document]) => `graphql(\`${document}\`);\n`).join('');
  const complaints = await compile(
    new Map([
      ['wrong.ts', wrong],
      ['documents.ts', `import { graphql } from '@atrium/client';\n${checked}`],
    ]),
  );
  const found = [...complaints.matchAll(/^wrong\.ts\((\d+),/gm)].map(([, line]) => Number(line));
  expect([...new Set(found)]).toEqual(lines);
  documents.forEach(([document, reason], index) => {
    const complaint = complaints.split('\n').find((line) => line.startsWith(`documents.ts(${index + 2},`));
    expect(complaint, document).toContain(reason);
  });
});

test('valid documents of every form compile', async () => {
  const valid = `import { graphql, readFragment, type ResultOf } from '@atrium/client';
const NAME = graphql(\`fragment Name on User { fullName }\`);
const ALL = graphql(\`query All($id: ID!, $first: Int = 3, $ids: [Int!]!, $filter: MessageFilter) {
  __typename
  me { ...Name own: id }
  messages(dialogId: $id, first: $first, filter: $filter, orderBy: { field: DATE_SENT, direction: DESC }) {
    edges { node { id sender { ...Name } } } # a comment
  }
  text: users(filter: { or: [{ login: { eq: "a" } }, { id: { in: [1, 2] } }] }) { totalCount }
  presence(userIds: $ids) { online }
}\`, [NAME]);
declare const all: ResultOf<typeof ALL>;
export const name: string | null = readFragment(NAME, all.me).fullName;
export const online: boolean | undefined = all.presence[0]?.online;
export const own: number = all.me.own;
`;
  expect(await compile(new Map([['valid.ts', valid]]))).toBe('');
});

test.each([
  ['without a key', { ATRIUM_API_KEY: '' }, 2, 'ATRIUM_API_KEY=<key>'],
  ['with an unavailable service', { url: 'http://127.0.0.1:1' }, 1, 'could not be reached'],
])(
  'atrium-types %s fails with one line that explains it',
  async (_name, { url, ...settings }: Record<string, string>, code, line) => {
    const failed = await atriumTypes([url ?? service.url, 'never.d.ts'], settings).catch((error) => error);
    expect(failed.code).toBe(code);
    expect(failed.stderr).toContain(line);
  },
);

test('the package installs at most 2 MB with one dependency', async () => {
  const installed = join(app, 'node_modules/@atrium/client');
  const { dependencies } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
  expect(Object.keys(dependencies)).toEqual(['@0no-co/graphql.web']);
  const sizes = await Promise.all([installed, join(app, 'node_modules/@0no-co/graphql.web')].map(sizeOf));
  expect(sizes[0]! + sizes[1]!).toBeLessThan(1_000_000);
});

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const stats = await Promise.all(
    entries.filter((entry) => entry.isFile()).map((entry) => stat(join(entry.parentPath, entry.name))),
  );
  return stats.reduce((sum, { size }) => sum + size, 0);
}

test.each([
  ['createClient, graphql', 37_500, 13_000],
  ['createAtrium', 84_800, 27_100],
])('the bundle of %s is below %i bytes, or %i compressed', async (imports, size, compressed) => {
  const entry = join(app, 'weight.mjs');
  await writeFile(entry, `import { ${imports} } from '@atrium/client'; globalThis.it = [${imports}];`);
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
  });
  const { contents } = outputFiles[0]!;
  expect(contents.length).toBeLessThan(size);
  expect(gzipSync(contents).length).toBeLessThan(compressed);
});
