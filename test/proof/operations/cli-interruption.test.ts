import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { cli, endedEarly, launchCli } from '../../support/app/cli.ts';
import { sql } from '../../support/app/sql.ts';
import { until } from '../../support/app/until.ts';
import { lockRows } from '../../support/faults/row-lock.ts';
import {
  allRows,
  currentInstallation,
  emptyInstallation,
  envOf,
  type Installation,
  storeArchive,
  temporaryFolder,
  writeArchive,
} from '../../support/fixtures/archives.ts';
import { createDialog, quickUsers, send } from '../../support/fixtures/chat.ts';

// Ctrl-C while a command waits for a lock, as during a long query.

useApp();

let dialogId: string;

beforeAll(async () => {
  const [alice, bob] = await quickUsers(2);
  dialogId = await createDialog(alice!, [bob!]);
  await send(alice!, dialogId, 'hi');
});

/** Interrupts a command that waits for a lock. @returns its exit before the lock is released */
async function interrupted(place: Installation, held: string, ...command: string[]) {
  const holder = await lockRows(place.database, held);
  const running = launchCli({ ...envOf(place), ...holder.env }, ...command);
  await Promise.race([until(holder.isWaitedFor), endedEarly(running)]);
  running.interrupt();
  const { code, stdout, stderr } = await running.answer;
  await until(holder.isLeft);
  await holder.release();
  return { code, stdout, lastLine: stderr.trimEnd().split('\n').at(-1) };
}

const locked = (table: string) => `LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`;

test.each(['applications', 'messages'])(
  'an export that waits for %s stops immediately and leaves no file',
  async (table) => {
    const folder = await temporaryFolder();
    const file = join(folder, 'a.tar.gz');
    expect(await interrupted(currentInstallation(), locked(table), 'export', file)).toEqual({
      code: 1,
      stdout: '',
      lastLine: 'atrium: stopped; no archive was written',
    });
    expect(await readdir(folder)).toEqual([]);
  },
  600_000,
);

test.each(['applications', 'messages'])(
  'a check that waits for %s stops immediately',
  async (table) => {
    expect(await interrupted(currentInstallation(), locked(table), 'check')).toEqual({
      code: 1,
      stdout: '',
      lastLine: 'atrium: stopped',
    });
  },
  600_000,
);

test('a repair that waits for a dialog stops immediately and changes nothing', async () => {
  await sql('UPDATE members SET sent_count = 7');
  const held = `SELECT FROM dialogs WHERE id = '${dialogId}' FOR UPDATE`;
  expect(await interrupted(currentInstallation(), held, 'check', '--repair')).toEqual({
    code: 1,
    stdout: '',
    lastLine: 'atrium: stopped',
  });
  expect(await sql('SELECT DISTINCT sent_count FROM members')).toEqual([{ sent_count: 7 }]);
  expect(await cli(envOf(currentInstallation()), 'check', '--repair')).toMatchObject({ code: 0 });
}, 600_000);

test.each(['applications', 'messages'])(
  'an import that waits for %s stops immediately and can be resumed',
  async (table) => {
    const [folder, place] = [await temporaryFolder(), await emptyInstallation()];
    const file = join(folder, 'a.tar.gz');
    await writeArchive(file, currentInstallation());
    expect(await interrupted(place, locked(table), 'import', file, '--trust')).toEqual({
      code: 1,
      stdout: '',
      lastLine: 'atrium: stopped; repeat the command to resume',
    });
    await storeArchive(file, place);
    expect(await allRows(place)).toEqual(await allRows(currentInstallation()));
  },
  600_000,
);
