import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { useApp } from '../support/app.ts';
import {
  allRows,
  emptyPlace,
  envOf,
  here,
  type Place,
  storeArchive,
  temporaryFolder,
  writeArchive,
} from '../support/archives.ts';
import { createDialog, quickUsers, send } from '../support/chat.ts';
import { cli, launchCli, type RunningCommand } from '../support/cli.ts';
import { sql } from '../support/sql.ts';
import { until } from '../support/until.ts';

// Ctrl-C while a command waits for the database, which a long query of it is like.

useApp();

/** By which the connections of a command are known. */
const NAME = 'interrupted';

let dialogId: string;

beforeAll(async () => {
  const [alice, bob] = await quickUsers(2);
  dialogId = await createDialog(alice!, [bob!]);
  await send(alice!, dialogId, 'hi');
});

/** Holds what a statement locks until it is released, or the test ends. */
async function hold({ database }: Place, statement: string) {
  // What a transaction sees of others stays as it was at its first look.
  const [holder, watch] = [new pg.Client(database), new pg.Client(database)];
  for (const client of [holder, watch]) {
    await client.connect();
    onTestFinished(() => client.end());
  }
  await holder.query('BEGIN');
  await holder.query(statement);
  const count = async (condition: string) => {
    const { rows } = await watch.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1 AND ${condition}`,
      [NAME],
    );
    return rows.length;
  };
  return {
    isWaitedFor: async () => (await count(`wait_event_type = 'Lock'`)) > 0,
    isLeft: async () => (await count('true')) === 0,
    release: () => holder.query('ROLLBACK'),
  };
}

/** Has a command wait for what somebody holds, and interrupts it there. @returns how it ends, which it does without getting it */
async function interrupted(place: Place, held: string, ...command: string[]) {
  const holder = await hold(place, held);
  const running = launchCli({ ...envOf(place), PGAPPNAME: NAME }, ...command);
  await Promise.race([until(holder.isWaitedFor), endedEarly(running)]);
  running.interrupt();
  const { code, stdout, stderr } = await running.answer;
  await until(holder.isLeft);
  await holder.release();
  return { code, stdout, lastLine: stderr.trimEnd().split('\n').at(-1) };
}

async function endedEarly({ answer }: RunningCommand): Promise<never> {
  const { code, stderr } = await answer;
  throw new Error(`it ended with ${code}:\n${stderr}`);
}

const locked = (table: string) => `LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`;

test.each(['applications', 'messages'])(
  'an export that waits for %s ends at once and leaves no file',
  async (table) => {
    const folder = await temporaryFolder();
    const file = join(folder, 'a.tar.gz');
    expect(await interrupted(here(), locked(table), 'export', file)).toEqual({
      code: 1,
      stdout: '',
      lastLine: 'atrium: stopped; there is no archive',
    });
    expect(await readdir(folder)).toEqual([]);
  },
  600_000,
);

test.each(['applications', 'messages'])(
  'a check that waits for %s ends at once',
  async (table) => {
    expect(await interrupted(here(), locked(table), 'check')).toEqual({
      code: 1,
      stdout: '',
      lastLine: 'atrium: stopped',
    });
  },
  600_000,
);

test('a repair that waits for a dialog ends at once and has changed nothing', async () => {
  await sql('UPDATE members SET sent_count = 7');
  const held = `SELECT FROM dialogs WHERE id = '${dialogId}' FOR UPDATE`;
  expect(await interrupted(here(), held, 'check', '--repair')).toEqual({
    code: 1,
    stdout: '',
    lastLine: 'atrium: stopped',
  });
  expect(await sql('SELECT DISTINCT sent_count FROM members')).toEqual([{ sent_count: 7 }]);
  expect(await cli(envOf(here()), 'check', '--repair')).toMatchObject({ code: 0 });
}, 600_000);

test.each(['applications', 'messages'])(
  'an import that waits for %s ends at once, and is gone on with',
  async (table) => {
    const [folder, place] = [await temporaryFolder(), await emptyPlace()];
    const file = join(folder, 'a.tar.gz');
    await writeArchive(file, here());
    expect(await interrupted(place, locked(table), 'import', file)).toEqual({
      code: 1,
      stdout: '',
      lastLine: 'atrium: stopped; the same command goes on',
    });
    await storeArchive(file, place);
    expect(await allRows(place)).toEqual(await allRows(here()));
  },
  600_000,
);
