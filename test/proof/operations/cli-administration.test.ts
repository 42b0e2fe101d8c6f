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
  expect(created).toMatchObject({ email: 'grace@example.com', roles: ['support of 1'], isActive: false });
  const token = new URL(created.link).hash.slice(1);
  const page = { Origin: service.url, Application: 'none' };
  expect((await post(service.url, ACCEPT, { token }, page)).cookies[0]).toContain('HttpOnly');
  const { link } = await cliJson(env, 'admin', 'link', 'grace@example.com');
  expect(link).toContain('/console/welcome#');
  expect(await cliJson(env, 'admin', 'list')).toMatchObject([{ email: 'grace@example.com', isActive: true }]);
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

  const rotated = await cliJson(env, 'app', 'rotate-secret', String(second.applicationId));
  expect(rotated.authSecret).not.toBe(second.authSecret);
  await cliJson(env, 'app', 'delete', String(second.applicationId), '--yes');
  await until(async () => (await post(service.url, '{ application { id } }', {}, key)).body.errors !== undefined);
  expect((await cli(env, 'app', 'list')).stdout).toContain('the service is deleting the application');
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
