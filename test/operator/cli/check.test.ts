import { expect, test } from 'vitest';
import { CHECKS } from '../../../src/operator/integrity/run.ts';
import { Encrypter } from '../../../src/platform/encryption/encrypter.ts';
import { additionalDataOfSettings } from '../../../src/resolvers/pushes/settings.ts';
import { APPLICATION, ENCRYPTER, useApp } from '../../support/app/app.ts';
import { cli } from '../../support/app/cli.ts';
import { sql } from '../../support/app/sql.ts';
import { currentInstallation, envOf } from '../../support/fixtures/archives.ts';
import { createDialog, quickUsers, send } from '../../support/fixtures/chat.ts';

useApp();

function check(...args: string[]) {
  return cli(envOf(currentInstallation()), 'check', ...args);
}

test('check counts, prints and repairs differences, and exits with 1 while any remain', async () => {
  const [alice, bob] = await quickUsers(2);
  const dialogId = await createDialog(alice!, [bob!]);
  await send(alice!, dialogId, 'hi');
  const sound = await check('--json');
  expect({ code: sound.code, ...JSON.parse(sound.stdout) }).toEqual({
    code: 0,
    differences: 0,
    repaired: 0,
    checks: CHECKS.map(({ name, sentence }) => ({ name, sentence, differences: 0, repaired: 0 })),
    found: [],
  });

  await sql('UPDATE members SET sent_count = 7 WHERE user_id = $1', [alice!.id]);
  await sql('UPDATE dialogs SET last_message_at = NULL');
  const found = await check('--application', String(APPLICATION.id), '--json');
  expect(found).toMatchObject({ code: 1, stderr: expect.stringContaining('atrium: there are 2 differences\n') });
  const difference = { applicationId: APPLICATION.id, isRepaired: false };
  const row = JSON.stringify({ userId: alice!.id, dialogId });
  expect(JSON.parse(found.stdout)).toMatchObject({
    differences: 2,
    repaired: 0,
    found: [
      { ...difference, check: 'last messages', row: JSON.stringify({ dialogId }), kept: null },
      { ...difference, check: 'sent counts', row, kept: '7', counted: '1' },
    ],
  });

  expect(await check('--repair')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^result {2}\d+ checks, 2 differences, 2 repaired\n\nchecks\n/),
  });
  expect(await check('--application', String(APPLICATION.id))).toMatchObject({
    code: 0,
    stdout: `result  ${CHECKS.length} checks, no differences\n`,
  });
  expect((await check('--verbose')).stdout).toContain(CHECKS[0]!.sentence);
  expect(await check('--application', '4')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('atrium: application 4 does not exist\n'),
  });
}, 600_000);

test('check reports secrets that were encrypted with another key', async () => {
  const place = { applicationId: APPLICATION.id, environment: 'production', provider: 'web' } as const;
  const store = (encrypter: Encrypter) =>
    sql(
      `INSERT INTO push_settings (application_id, environment, provider, public_id, sealed, created_at, updated_at)
      VALUES ($1, $2, $3, 'key', $4, now(), now())
      ON CONFLICT (application_id, environment, provider) DO UPDATE SET sealed = excluded.sealed`,
      [...Object.values(place), encrypter.encrypt('{}', additionalDataOfSettings(place))],
    );
  await store(ENCRYPTER);
  expect(await check()).toMatchObject({ code: 0 });
  await store(new Encrypter(Buffer.alloc(32, 9)));
  const found = await check('--repair', '--json');
  expect(found).toMatchObject({ code: 1, stderr: expect.stringContaining('atrium: there is a difference\n') });
  expect(JSON.parse(found.stdout)).toMatchObject({
    differences: 1,
    repaired: 0,
    found: [
      { check: 'secrets', applicationId: APPLICATION.id, kept: '1 encrypted with another key', isRepaired: false },
    ],
  });
  await sql('DELETE FROM push_settings');
}, 600_000);

test('audit verify exits with 1 and names the entry that was changed', async () => {
  const verify = (...args: string[]) => cli(envOf(currentInstallation()), 'audit', 'verify', ...args);
  await quickUsers(1);
  await sql(
    `INSERT INTO audit_entries (application_id, actor_kind, action, subject, subject_id)
     VALUES ($1, 'operator', 'read', 'users', '')`,
    [APPLICATION.id],
  );
  expect(await verify()).toMatchObject({ code: 0, stdout: expect.stringMatching(/intact\n$/), stderr: '' });
  await sql("UPDATE audit_entries SET subject = 'dialogs' WHERE application_id = $1", [APPLICATION.id]);
  const failed = await verify('--json');
  expect(failed).toMatchObject({ code: 1, stderr: 'atrium: a chain is not intact\n' });
  expect(JSON.parse(failed.stdout)).toMatchObject([
    { applicationId: APPLICATION.id, result: expect.stringMatching(/^entry \d+ \(id \d+\) was changed$/) },
  ]);
}, 600_000);

test('audit restart continues the log with another key', async () => {
  const env = { ...envOf(currentInstallation()), ENCRYPTION_KEY: '0b'.repeat(32) };
  const verify = () => cli(env, 'audit', 'verify');
  expect(await verify()).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('ENCRYPTION_KEY is a different one'),
  });
  expect(await cli(env, 'audit', 'restart')).toMatchObject({ code: 1, stderr: expect.stringContaining('Add --yes') });
  expect(await cli(env, 'audit', 'restart', '--yes')).toMatchObject({ code: 0, stderr: '' });
  expect(await verify()).toMatchObject({ code: 0, stdout: expect.stringMatching(/intact\n$/) });
}, 600_000);

test('check reports the secret of an authenticator app that was encrypted with another key', async () => {
  await sql(
    `INSERT INTO administrators (email, name, password_hash, encrypted_totp, created_at, updated_at)
     VALUES ('ada@example.com', 'Ada', 'none', $1, now(), now())`,
    [new Encrypter(Buffer.alloc(32, 9)).encrypt('secret', 'totp 1')],
  );
  const { code, stdout } = await check('--json');
  expect(code).toBe(1);
  expect(JSON.parse(stdout).found).toContainEqual(
    expect.objectContaining({ check: 'secrets', applicationId: null, kept: '1 encrypted with another key' }),
  );
}, 600_000);
