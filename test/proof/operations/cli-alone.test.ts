import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sign } from '../../../src/lib/signature.ts';
import { cli, cliJson } from '../../support/app/cli.ts';
import { startOwnDatabase } from '../../support/app/postgres-server.ts';
import { freshDataDir, startService } from '../../support/app/service.ts';

test('app create works without a running service, also concurrently, and the next service serves the applications', async () => {
  const env = await freshDataDir();
  const [one, other] = await Promise.all([
    cliJson(env, 'app', 'create', '--name', ' Shop '),
    cliJson(env, 'app', 'create', '--name', 'Blog'),
  ]);
  expect([one.applicationId, other.applicationId].sort()).toEqual([1, 2]);
  expect(Object.keys(one)).toEqual(['applicationId', 'authKey', 'authSecret', 'apiKey']);
  expect(existsSync(join(env.DATA_DIR, 'postgres', 'postmaster.pid'))).toBe(false);

  const chosen = await cliJson(env, 'app', 'create', '--name', 'Chosen', '--id', '92');
  expect(chosen.applicationId).toBe(92);
  expect((await cliJson(env, 'app', 'create', '--name', 'Next')).applicationId).toBe(93);
  expect(await cli(env, 'app', 'create', '--name', 'Again', '--id', '92')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'atrium: Id has already been taken\n',
  });

  const listed = await cli(env, 'app', 'list');
  expect(listed.stdout).toMatch(
    /^id +name +authKey +createdAt\n1 +(Shop|Blog) .+\n2 .+\n92 +Chosen .+\n93 +Next .+\n$/,
  );
  const everything = listed.stdout + JSON.stringify(await cliJson(env, 'app', 'list'));
  for (const { authSecret, apiKey } of [one, other, chosen]) {
    expect(everything).not.toContain(authSecret);
    expect(everything).not.toContain(apiKey);
  }

  const service = await startService(env.DATA_DIR);
  expect(service.output()).not.toContain('first application');
  const signed = { application_id: '92', auth_key: chosen.authKey, nonce: '1', timestamp: String(unixNow()) };
  const signature = sign(Object.entries(signed), chosen.authSecret, 'sha1');
  const session = await fetch(`${service.url}/session.json`, {
    method: 'POST',
    body: new URLSearchParams({ ...signed, signature }),
  });
  expect(session.status).toBe(201);
  const users = await fetch(`${service.url}/users.json`, { headers: { Authorization: `ApiKey ${chosen.apiKey}` } });
  expect(users.status).toBe(200);
  expect(await service.stop()).toBe(0);
}, 600_000);

test('the CLI as a process exits with the same codes', async () => {
  const env = await freshDataDir();
  const help = await cli(env, 'app', 'set', '--help');
  expect(help).toMatchObject({ code: 0, stderr: '' });
  expect(help.stdout).toMatch(/^Usage: atrium app set /);
  expect(await cli(env, 'app', 'set', '1')).toEqual({
    code: 2,
    stdout: '',
    stderr: 'atrium: specify at least one setting\n',
  });
  expect(await cli({ ...env, PORT: 'http' }, 'app', 'list')).toMatchObject({ code: 1, stdout: '' });
}, 600_000);

test('a command uses DATABASE_URL, even while Redis is down', async () => {
  const database = await startOwnDatabase();
  onTestFinished(() => database.drop());
  const env = { ...(await freshDataDir()), DATABASE_URL: database.url, REDIS_URL: 'redis://127.0.0.1:1' };
  expect(await cli(env, 'app', 'list')).toEqual({ code: 0, stdout: 'none\n', stderr: '' });
  expect(await cliJson(env, 'app', 'list')).toEqual([]);
  const { applicationId } = await cliJson(env, 'app', 'create', '--name', 'Shop');
  expect(await cliJson(env, 'app', 'show', String(applicationId))).toMatchObject({ id: 1, name: 'Shop' });
  expect(existsSync(join(env.DATA_DIR, 'postgres'))).toBe(false);
}, 600_000);

const unixNow = () => Math.floor(Date.now() / 1000);
