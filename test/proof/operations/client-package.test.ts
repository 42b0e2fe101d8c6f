import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../support/app/redis.ts';
import { createDataDir, exitCode, type Service, startService } from '../../support/app/service.ts';

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
  for (const name of ['gql.tada', 'graphql', 'graphql-ws', '@0no-co', '@gql.tada', 'ws', '@types/node', '@types/ws']) {
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
  const guides = ['web-app', 'live-ui', 'chat-app', 'password-reset'].map((name) => `docs/${name}.md`);
  for (const name of ['packages/client/README.md', ...guides]) {
    const text = await readFile(join(ROOT, name), 'utf8');
    for (const [, code, file, , output] of text.matchAll(
      /```ts\n(\/\/ (\S+\.ts)\n[\s\S]*?)```\n(\n```text\n([\s\S]*?)```)?/g,
    )) {
      files.set(file!, code!);
      if (output) printed.set(file!, output);
    }
    expect(text.match(/```ts\n(?!\/\/ \S+\.ts\n)/g)).toBeNull(); // a block without a file name would not be checked
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
    'atrium.ts',
    'cars.ts',
    'chat.ts',
    'connection-banner.ts',
    'dialogs.ts',
    'forgot-password.ts',
    'live-cars.ts',
    'live-dialog.ts',
    'main.ts',
    'new-password.ts',
    'server.ts',
    'users.ts',
    'who.ts',
  ]);
  expect(await compile(files)).toBe('');
});

test.each(['chat.ts', 'cars.ts'])('%s of the README prints the documented output', async (name) => {
  const { stdout } = await run(process.execPath, [await bundled(name, files)], { env: { ...process.env, ...env } });
  expect(stdout).toBe(printed.get(name));
});

test('the code of the guides forms a working web app: signing server, sign-up and a live dialog', async () => {
  const server = spawn(process.execPath, [await bundled('server.ts', files)], {
    env: { ...process.env, ...env, PORT: String(await freePort()) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [told] = (await once(server.stdout, 'data')) as [Buffer];
  const port = /signing on (\d+)/.exec(String(told))![1];
  // Replaces the APIs of a browser and the page of the guides: Carl opens and shows a dialog, Dora writes.
  const page = `import { WebSocket } from 'ws';
import { connect } from './atrium.ts';
import { createGroup, listDialogs, send } from './dialogs.ts';
import { showDialog } from './live-dialog.ts';
import { signIn, signUp } from './users.ts';
const items = new Map();
globalThis.WebSocket = WebSocket;
globalThis.sessionStorage = {
  getItem: (key) => items.get(key) ?? null,
  setItem: (key, value) => void items.set(key, value),
  removeItem: (key) => void items.delete(key),
};
const ask = fetch;
globalThis.fetch = (to, options) => ask(to === '/atrium-signature' ? 'http://127.0.0.1:${port}' + to : to, options);
const nobody = () => Promise.reject(new Error('nobody is there'));
const dora = connect(process.env.ATRIUM_URL, nobody);
const carl = connect(process.env.ATRIUM_URL, nobody);
const { userId } = await signUp(dora, 'dora', 'correct-horse');
console.log(await signUp(carl, 'dora', 'correct-horse'), await signIn(carl, 'dora', 'wrong-horse'));
await signUp(carl, 'carl', 'correct-horse');
const dialogId = await createGroup(carl, 'Lunch', [userId]);
await send(dora, dialogId, 'before');
const stop = showDialog(carl, dialogId, (messages) => {
  console.log(messages.map(({ text }) => text));
  if (messages.length === 1) void send(dora, dialogId, 'live');
  else stop();
});
console.log((await listDialogs(dora)).dialogs.map(({ name }) => name));
`;
  const { stdout } = await run(process.execPath, [await bundled('page.ts', new Map([...files, ['page.ts', page]]))], {
    env: { ...process.env, ...env },
  });
  expect(stdout.split('\n').sort()).toEqual(
    [
      '',
      "[ 'Lunch' ]",
      "[ 'before' ]",
      "[ 'before', 'live' ]",
      "{ login: [ 'has already been taken' ] } undefined",
    ].sort(),
  );
  server.kill();
  await exitCode(server);
});

test('wrong fields and variables do not compile', async () => {
  const wrong = `import { createClient, graphql, type Session } from '@atrium/client';
const client = createClient({ url: 'http://127.0.0.1' });
const ME = graphql(\`{ me { id } }\`);
const DIALOG = graphql(\`query ($id: ID!) { dialog(id: $id) { name } }\`);
export const wrong = async () => {
  (await client.query(ME)).me.login; // not selected
  graphql(\`{ me { nickname } }\`).definitions satisfies never; // no such field
  await client.query(DIALOG); // variables are missing
  await client.query(DIALOG, { id: true }); // wrong type
  await client.query(DIALOG, { id: '1', other: 2 }); // unknown variable
  await client.signIn({ login: 'alice' }); // no password
  const { userId }: Session = client.session; // may be undefined
  return userId;
};
`;
  const complaints = await compile(new Map([['wrong.ts', wrong]]));
  const lines = [...complaints.matchAll(/^wrong\.ts\((\d+),/gm)].map(([, line]) => Number(line));
  expect([...new Set(lines)]).toEqual([6, 7, 8, 9, 10, 11, 12]);
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

test('the bundle of the client is below 36 kB, or 13 kB compressed', async () => {
  const entry = join(app, 'weight.mjs');
  await writeFile(
    entry,
    `import { createClient, graphql } from '@atrium/client'; globalThis.it = [createClient, graphql];`,
  );
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
  });
  const { contents } = outputFiles[0]!;
  expect(contents.length).toBeLessThan(36_000);
  expect(gzipSync(contents).length).toBeLessThan(13_000);
});
