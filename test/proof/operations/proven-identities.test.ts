import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { cli, cliHere, cliJson } from '../../support/app/cli.ts';
import { startOwnDatabase } from '../../support/app/postgres-server.ts';
import { createDataDir, startService } from '../../support/app/service.ts';
import { until } from '../../support/clients/websocket.ts';
import { API_KEY, rest } from '../../support/fixtures/legacy-data.ts';

const CLAIMS = ['email', 'phone', 'facebook_id', 'twitter_id'];

test('migrated identities are claims unless the operator declares them proven', async () => {
  const [folder, targetFolder] = [await createDataDir(), await createDataDir()];
  const source = await startService(folder.dataDir, {
    BOOTSTRAP_APPLICATION_ID: '92',
    BOOTSTRAP_API_KEY: API_KEY,
  });
  const database = await startOwnDatabase();
  const target = new pg.Client(database.config);
  await target.connect();
  onTestFinished(async () => {
    await target.end();
    await Promise.all([source.stop(), database.drop()]);
    await Promise.all([folder.remove(), targetFolder.remove()]);
  });
  const env = { DATABASE_URL: database.url, DATA_DIR: targetFolder.dataDir, SOURCE_API_KEY: API_KEY };
  const ids: number[] = [];
  for (const [nth, login] of ['alice', 'bob'].entries()) {
    const claims = { email: `${login}@example.org`, phone: '12345', facebook_id: `7${nth}`, twitter_id: `8${nth}` };
    const { body } = await rest(source.url, 'POST', '/users.json', {
      user: { login, password: 'password-1', ...claims },
    });
    ids.push(body.user.id);
  }
  const [alice, bob] = ids as [number, number];
  await cliJson(env, 'app', 'create', '--name', 'Moved', '--id', '92');
  const migrate = async (...more: string[]) => {
    const answer = await cli(env, 'migrate-from', source.url, '--application', '92', '--rate', '1000', ...more);
    expect(answer).toMatchObject({ code: 0 });
  };
  const rowOf = async (id: number) => (await target.query('SELECT * FROM users WHERE id = $1', [id])).rows[0];
  const provenOf = async (id: number) => {
    const row = await rowOf(id);
    return CLAIMS.filter((claim) => row[claim] !== null && row[claim] === row[`verified_${claim}`]);
  };

  await migrate();
  expect(await provenOf(alice)).toEqual([]);
  expect(await rowOf(alice)).toMatchObject({ email: 'alice@example.org', phone: '12345', facebook_id: '70' });

  // Another user proves Alice's account on the new server.
  await target.query(`UPDATE users SET facebook_id = NULL WHERE id = $1`, [alice]);
  await target.query(
    `INSERT INTO users (application_id, id, facebook_id, verified_facebook_id, created_at, updated_at)
     VALUES (92, 900001, '70', '70', now(), now())`,
  );
  const second = Math.floor(Date.now() / 1000);
  await until(() => Math.floor(Date.now() / 1000) > second);
  expect((await rest(source.url, 'PUT', `/users/${alice}.json`, { user: { full_name: 'Renamed' } })).status).toBe(200);
  await migrate('--identities-proven');
  expect(await rowOf(alice)).toMatchObject({ full_name: 'Renamed', facebook_id: null });
  expect(await provenOf(alice)).toEqual(['email', 'phone', 'twitter_id']);
  expect(await provenOf(bob)).toEqual(CLAIMS);
  expect(await provenOf(900_001)).toEqual(['facebook_id']);

  await target.query(`UPDATE users SET phone = '54321' WHERE id = ANY($1)`, [[alice, bob]]);
  expect(await cliJson(env, 'user', 'prove', '--application', '92', String(bob))).toEqual({
    applicationId: 92,
    users: 1,
  });
  expect([(await provenOf(alice)).includes('phone'), await provenOf(bob)]).toEqual([false, CLAIMS]);
  expect(await cliJson(env, 'user', 'prove', '--application', '92', '--all')).toEqual({ applicationId: 92, users: 3 });
  expect((await provenOf(alice)).includes('phone')).toBe(true);
  for (const wrong of [[], [String(bob), '--all'], ['x']]) {
    expect(await cliHere(env, 'user', 'prove', '--application', '92', ...wrong)).toMatchObject({ code: 2 });
  }
}, 600_000);
