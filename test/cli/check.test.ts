import { expect, test } from 'vitest';
import { CHECKS } from '../../src/check/run.ts';
import { APPLICATION, running, useApp } from '../support/app.ts';
import { createDialog, quickUsers, send } from '../support/chat.ts';
import { cli } from '../support/cli.ts';
import { sql } from '../support/sql.ts';

useApp();

function check(...args: string[]) {
  const { connectionString } = running.database.config;
  return cli({ DATABASE_URL: connectionString!, DATA_DIR: running.dataDir }, 'check', ...args);
}

test('differences are counted, told and set right, and the exit code says whether any are left', async () => {
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
    stdout: expect.stringMatching(/differences +2\nrepaired +2\n/),
  });
  expect(await check('--application', String(APPLICATION.id))).toMatchObject({ code: 0 });
  expect(await check('--application', '4')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('atrium: there is no application 4\n'),
  });
}, 600_000);
