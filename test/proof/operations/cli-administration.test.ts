import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cli, cliJson } from '../../support/app/cli.ts';
import { freshDataDir, startService } from '../../support/app/service.ts';
import { until } from '../../support/app/until.ts';

const PASSWORD = 'correct horse battery';

async function post(url: string, query: string, variables: object, headers: Record<string, string>) {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ query, variables }),
  });
  return { body: await response.json(), cookies: response.headers.getSetCookie() };
}

const ACCEPT = `mutation ($token: String!, $email: String) {
  acceptAdministratorLink(token: $token, input: { email: $email, password: "${PASSWORD}" }) {
    email roles { applicationId role }
  }
}`;

test('status works before the first start of the service', async () => {
  const env = await freshDataDir();
  await cliJson(env, 'app', 'create', '--name', 'First');
  expect(await cliJson(env, 'status')).toMatchObject({
    waitingPushJobs: 0,
    fileBytes: 0,
    applications: [{ users: 0 }],
  });
});

test('each start prints a link for the first administrator until there is one', async () => {
  const env = await freshDataDir();
  const first = await startService(env.DATA_DIR);
  const [, token] = /console \(valid for 15 minutes\): \S+\/console\/welcome#(\S+)/.exec(first.output())!;
  const page = { Origin: first.url, Application: 'none' };
  const { body } = await post(first.url, ACCEPT, { token, email: 'ada@example.com' }, page);
  expect(body.data.acceptAdministratorLink).toEqual({
    email: 'ada@example.com',
    roles: [{ applicationId: null, role: 'OWNER' }],
  });
  expect(await first.stop()).toBe(0);
  const second = await startService(env.DATA_DIR);
  expect(second.output()).toContain(`console: ${second.url}/console\n`);
  expect(second.output()).not.toContain('welcome#');
  expect(await second.stop()).toBe(0);
}, 600_000);

test('administrators, applications and users are managed while the service runs', async () => {
  const env = await freshDataDir();
  const service = await startService(env.DATA_DIR);
  const created = await cliJson(
    env,
    'admin',
    'create',
    '--email',
    'Grace@example.com',
    '--role',
    'support',
    '--application',
    '1',
  );
  expect(created).toMatchObject({ email: 'grace@example.com', roles: ['support of 1'] });
  expect(await cliJson(env, 'admin', 'list')).toMatchObject([
    { email: 'grace@example.com', expiresAt: created.expiresAt },
  ]);
  const token = new URL(created.link).hash.slice(1);
  const page = { Origin: service.url, Application: 'none' };
  expect((await post(service.url, ACCEPT, { token }, page)).cookies[0]).toContain('HttpOnly');
  const { link } = await cliJson(env, 'admin', 'link', 'grace@example.com');
  expect(link).toContain('/console/welcome#');
  expect(await cliJson(env, 'admin', 'list')).toMatchObject([{ email: 'grace@example.com', passkeyCount: 0 }]);
  expect(await cli(env, 'admin', 'reset', 'grace@example.com')).toMatchObject({
    code: 1,
    stderr: 'atrium: Remove the authenticator app and all passkeys of grace@example.com? Add --yes to confirm\n',
  });
  const reset = await cliJson(env, 'admin', 'reset', 'grace@example.com', '--yes');
  expect(reset.link).toContain('/console/welcome#');
  expect(await cli(env, 'admin', 'delete', 'grace@example.com')).toMatchObject({
    code: 1,
    stderr: 'atrium: Delete the administrator grace@example.com? Add --yes to confirm\n',
  });
  await cliJson(env, 'admin', 'delete', 'grace@example.com', '--yes');
  expect(await cliJson(env, 'admin', 'list')).toEqual([]);
  expect(await cli(env, 'admin', 'link', 'grace@example.com')).toMatchObject({
    code: 1,
    stderr: 'atrium: administrator grace@example.com does not exist\n',
  });

  const second = await cliJson(env, 'app', 'create', '--name', 'Second');
  const key = { Authorization: `ApiKey ${second.apiKey}` };
  const create = 'mutation { createUser(input: { login: "alice", password: "password-1" }) { id } }';
  const { body } = await post(service.url, create, {}, key);
  const { id } = body.data.createUser;
  const application = ['--application', String(second.applicationId)];
  expect(await cliJson(env, 'user', 'block', String(id), ...application)).toMatchObject({
    id,
    blockedAt: expect.any(String),
  });
  expect(await cliJson(env, 'user', 'unblock', String(id), ...application)).toMatchObject({ id, blockedAt: null });
  expect(await cliJson(env, 'user', 'end-sessions', String(id), ...application)).toEqual({ id, sessions: 0 });
  expect(await cli(env, 'user', 'block', '4711', ...application)).toMatchObject({
    code: 1,
    stderr: 'atrium: user 4711 does not exist\n',
  });
  expect((await cliJson(env, 'status')).applications).toContainEqual({
    id: second.applicationId,
    name: 'Second',
    users: 1,
  });

  const passwordFile = join(env.DATA_DIR, 'password');
  await writeFile(passwordFile, 'password-of-grace\n');
  const grace = await cliJson(
    env,
    'user',
    'create',
    ...application,
    ...['--login', 'grace', '--email', 'grace@example.com', '--tag', 'drivers', '--password-file', passwordFile],
  );
  expect(grace).toMatchObject({ login: 'grace', email: 'grace@example.com' });
  expect(grace).not.toHaveProperty('password');
  expect((await cliJson(env, 'user', 'list', ...application)).map((one: { id: number }) => one.id)).toEqual([
    id,
    grace.id,
  ]);
  for (const filter of [
    ['--search', 'rac'],
    ['--tag', 'drivers'],
    ['--after', String(id)],
    ['--search', 'grace@example.com'],
  ]) {
    expect(await cliJson(env, 'user', 'list', ...application, ...filter)).toMatchObject([{ id: grace.id }]);
  }
  expect(await cliJson(env, 'user', 'show', String(grace.id), ...application)).toMatchObject({
    tags: ['drivers'],
    grantedTags: ['drivers'],
    sessions: [],
  });
  const renewed = await cliJson(env, 'user', 'set-password', String(grace.id), ...application);
  expect(renewed.password).toMatch(/^[\w-]{20}$/);
  expect(await cli(env, 'user', 'create', ...application, '--login', 'grace')).toMatchObject({
    code: 1,
    stderr: 'atrium: Login has already been taken\n',
  });

  const subscribe = `mutation { createSubscription(input: { channels: ["email"],
    token: { environment: "production", clientIdentificationSequence: "x" }, device: { platform: "web", udid: "u" }
  }) { id } }`;
  const asGrace = { ...key, 'On-Behalf-Of': String(grace.id) };
  expect((await post(service.url, subscribe, {}, asGrace)).body.errors).toBeUndefined();
  const test = ['push', 'test', String(grace.id), ...application];
  expect(await cliJson(env, ...test, '--channel', 'email')).toMatchObject([
    { channel: 'email', status: 'delivered', answer: 'accepted by the mailer' },
  ]);
  expect(await cliJson(env, ...test)).toEqual([]);
  expect(await cliJson(env, 'mail', 'test', 'ops@example.com')).toEqual({
    to: 'ops@example.com',
    sentTo: join(env.DATA_DIR, 'mail'),
    answer: 'Written to a file',
  });
  expect((await readdir(join(env.DATA_DIR, 'mail'))).length).toBe(2);

  await cliJson(env, 'class', 'create', ...application, '--name', 'Car', '--field', 'make:String');
  const changed = [
    '--field',
    'price:Float:index',
    '--create',
    'owner',
    '--read',
    'groups:drivers',
    '--update',
    'users:1,2',
  ];
  expect(await cliJson(env, 'class', 'set', 'Car', ...application, ...changed)).toMatchObject({
    fields: [{ name: 'make' }, { name: 'price', type: 'Float' }],
    permissions: {
      create: { access: 'owner' },
      read: { access: 'open_for_groups', groups: ['drivers'] },
      update: { access: 'open_for_users_ids', ids: [1, 2] },
      delete: { access: 'owner' },
    },
  });
  expect(await cli(env, 'class', 'delete', 'Car', ...application)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^atrium: Delete the class Car of application \d+ with all its records\? Add --yes/),
  });
  await cliJson(env, 'class', 'delete', 'Car', ...application, '--yes');

  expect(await cli(env, 'user', 'delete', String(grace.id), ...application)).toMatchObject({ code: 1 });
  await cliJson(env, 'user', 'delete', String(grace.id), ...application, '--yes');
  expect(await cli(env, 'user', 'show', String(grace.id), ...application)).toMatchObject({
    code: 1,
    stderr: `atrium: user ${grace.id} does not exist\n`,
  });

  const rotated = await cliJson(env, 'app', 'rotate-secret', String(second.applicationId));
  expect(rotated.authSecret).not.toBe(second.authSecret);
  await cliJson(env, 'app', 'delete', String(second.applicationId), '--yes');
  await until(async () => (await post(service.url, '{ application { id } }', {}, key)).body.errors !== undefined);
  expect((await cli(env, 'app', 'list')).stdout).toContain('the service is deleting the application');

  const exported = (await cli(env, 'audit', 'export', '--application', String(second.applicationId))).stdout;
  const entries = exported
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const changes = entries.map(({ actorKind, action, subject }) => `${actorKind}: ${action} ${subject}`);
  for (const change of ['create User', 'delete User', 'create RecordClass', 'update Application']) {
    expect(changes).toContain(`operator: ${change}`);
  }
  const reports = await cliJson(env, 'audit', 'verify');
  expect(reports.map(({ result }: { result: string }) => result)).toEqual(reports.map(() => 'intact'));
  expect(reports.length).toBeGreaterThan(1);
  expect(await cliJson(env, 'audit', 'verify', '--application', String(second.applicationId))).toEqual([
    { applicationId: second.applicationId, from: 1, to: entries.length, result: 'intact' },
  ]);
  expect(await service.stop()).toBe(0);
}, 600_000);

test('the version and suggestions for unknown commands are printed', async () => {
  const env = await freshDataDir();
  expect((await cli(env, '--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(await cli(env, 'usr')).toMatchObject({
    code: 2,
    stderr: "atrium: unknown command 'usr' (Did you mean user?)\n",
  });
}, 600_000);
