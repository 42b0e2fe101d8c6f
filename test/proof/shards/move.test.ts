import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type MoveOptions, moveApplication } from '../../../src/operator/move/move.ts';
import { cli, cliJson, launchCli } from '../../support/app/cli.ts';
import { REDIS } from '../../support/app/redis.ts';
import { until } from '../../support/app/until.ts';
import { pause, Random } from '../../support/fixtures/random.ts';
import { Listener } from '../chaos/listener.ts';
import { Writer } from '../chaos/writer.ts';
import {
  type Chat,
  type Installation,
  onDatabase,
  request,
  startChat,
  startInstallation,
  tablesOf,
} from './installation.ts';

if (!REDIS) console.info('Redis is not installed: moves between databases are not tested.');

const WRITERS = 3;
const PAUSE_MS = 50;

/** What a database shows during a move, in order. */
const STEPS = {
  arrives: { in: 'target', text: `SELECT FROM applications WHERE id = $1 AND import_id = 'moved'` },
  isNoted: { in: 'home', text: `SELECT FROM pg_trigger WHERE tgname = 'move_delete' AND $1 > 0` },
  isAnnounced: { in: 'home', text: 'SELECT FROM applications WHERE id = $1 AND moves_to IS NOT NULL' },
  isRefused: { in: 'home', text: `SELECT FROM pg_trigger WHERE tgfoid = 'refuse_row_change'::regproc AND $1 > 0` },
  isThere: { in: 'target', text: 'SELECT FROM applications WHERE id = $1 AND import_id IS NULL' },
} as const;
type Step = keyof typeof STEPS;

/** Tables that a database fills for itself. */
const OF_THE_DATABASE =
  'events_outbox moved_positions request_log request_log_ends request_log_hours request_figures'.split(' ');

describe.skipIf(!REDIS)('an application that is moved to another database', () => {
  let installation: Installation;
  const urls = () => installation.urls();

  beforeAll(async () => {
    installation = await startInstallation();
  });
  afterAll(() => installation.end());

  test('loses and doubles nothing while users write and subscribe, and neither do those of the others', async () => {
    const chats = await createChats(2);
    const listeners = chats.flatMap(({ bob, dialogId, since }, nth) =>
      (['socket', 'stream', 'polls'] as const).map(
        (via) => new Listener({ user: bob, dialogId, via, withMessages: false, since }, urls, new Random(nth)),
      ),
    );
    const listening = listeners.map((listener) => listener.listen());
    const writers = chats.flatMap((chat, nth) =>
      Array.from({ length: WRITERS }, (_, ordinal) => {
        return new Writer(chat.alice, [chat.dialogId], urls, new Random(nth * WRITERS + ordinal), `${nth}-${ordinal}`);
      }),
    );
    let isOver = false;
    const writing = writers.map(async (writer, nth) => {
      const { dialogId } = chats[Math.floor(nth / WRITERS)]!;
      while (!isOver) {
        await writer.send(dialogId);
        await pause(PAUSE_MS);
      }
    });
    await until(() => writers.every(({ acknowledged }) => acknowledged.length > 5));
    const [undisturbed, disturbed] = chats as [Chat, Chat];
    const from = homeOf(undisturbed);
    expect(await move(undisturbed, 1 - from)).toEqual({ id: undisturbed.applicationId, from, to: 1 - from });
    for (const step of Object.keys(STEPS) as Step[]) await killMove(disturbed, step);
    await move(disturbed, 1 - homeOf(disturbed)).catch((error: Error) => {
      // The last one that was killed had only its result left.
      expect(error.message).toContain('already in database');
    });
    const before = writers.map(({ acknowledged }) => acknowledged.length);
    await until(() => writers.every(({ acknowledged }, nth) => acknowledged.length > before[nth]! + 3));
    isOver = true;
    await Promise.all(writing);
    for (const [nth, chat] of chats.entries()) {
      const sent = writers.slice(nth * WRITERS, (nth + 1) * WRITERS).flatMap(({ acknowledged }) => acknowledged);
      const heard = listeners.slice(nth * 3, (nth + 1) * 3);
      await until(() => heard.every(({ received }) => messagesIn(received).length >= sent.length));
      for (const listener of heard) {
        expect(listener.faults).toEqual([]);
        const positions = listener.received.map(({ position }) => position);
        expect(positions).toEqual([...new Set(positions)].sort((one, other) => Number(one - other)));
        expect(messagesIn(listener.received)).toHaveLength(sent.length);
      }
      await expectOnlyIn(1 - (chat.applicationId % 2), chat);
    }
    for (const listener of listeners) listener.stop();
    await Promise.all(listening);
  });

  test('has valid cursors and new ids in the other database, and after a second move', async () => {
    const [chat] = (await createChats(1)) as [Chat];
    const home = homeOf(chat);
    const sent = await send(chat);
    await moveUnused(chat, 1 - home);
    await expectOnlyIn(1 - home, chat);
    const later = await send(chat);
    expect(await heardSince(chat)).toEqual([sent, later]);
    await moveUnused(chat, home);
    await expectOnlyIn(home, chat);
    const last = await send(chat);
    expect(await heardSince(chat)).toEqual([sent, later, last]);
    expect(new Set([sent, later, last]).size).toBe(3);
  });

  test('continues when its interrupted move is repeated, and stays where it is when that is undone', async () => {
    const [chat] = (await createChats(1)) as [Chat];
    const home = homeOf(chat);
    const first = await send(chat);
    await killMove(chat, 'isAnnounced');
    const second = await send(chat);
    expect(await moveUnused(chat, home)).toEqual({ from: home });
    await expectOnlyIn(home, chat);
    const third = await send(chat);
    await moveUnused(chat, 1 - home);
    await expectOnlyIn(1 - home, chat);
    expect(await heardSince(chat)).toEqual([first, second, third]);
  });

  test('continues from a position that its old database assigned after the last copied event', async () => {
    const [chat, other] = (await createChats(3)).filter((_chat, nth) => nth !== 1) as [Chat, Chat];
    const home = homeOf(chat);
    await moveUnused(chat, 1 - home);
    await send(other);
    const { rows } = await onDatabase(
      installation.databases[home]!,
      'SELECT max(position)::text AS last FROM events_outbox',
    );
    const sent = await send(chat);
    expect(await heardSince({ ...chat, since: rows[0].last })).toEqual([sent]);
  });

  test('is not brought back when it is deleted while it is moved', async () => {
    const [chat] = (await createChats(1)) as [Chat];
    let deletion: Promise<unknown> | undefined;
    const moving = moveUnused(chat, 1 - homeOf(chat), (step) => {
      if (step === 'copying') deletion = deleteApplication(chat);
    });
    await expect(moving).rejects.toThrow(`application ${chat.applicationId} is being deleted`);
    await deletion;
    await expectNothingMoved(chat);
  });

  test('is not brought back when it is deleted after an interrupted move, which can be repeated', async () => {
    const [chat] = (await createChats(1)) as [Chat];
    await killMove(chat, 'isAnnounced');
    await deleteApplication(chat);
    await expect(moveUnused(chat, 1 - homeOf(chat))).rejects.toThrow('is being deleted');
    await expectNothingMoved(chat);
  });

  test.each([
    ['a database that is not listed', () => ['1', '--to', '7'], 'there is no database 7; there are 2'],
    ['an application that does not exist', () => ['999999', '--to', '0'], 'application 999999 does not exist'],
    ['the database where it is', () => ['1', '--to', '1'], 'application 1 is already in database 1'],
  ])('is not moved to %s', async (_name, args, reason) => {
    await createChats(1);
    const { stderr } = await cli(installation.env, 'app', 'move', ...args());
    expect(stderr).toContain(reason);
  });

  test('leaves no difference behind', async () => {
    const { stdout, stderr } = await cli(installation.env, 'check', '--verbose');
    expect(stdout, stderr).toContain('no differences');
  });

  async function createChats(count: number): Promise<Chat[]> {
    const chats: Chat[] = [];
    for (let nth = 0; nth < count; nth++) {
      const application = await cliJson(installation.env, 'app', 'create', '--name', `moved ${nth}`);
      chats.push(await startChat(urls()[0]!, application));
    }
    return chats;
  }

  async function move({ applicationId }: Chat, to: number) {
    const args = ['app', 'move', String(applicationId), '--to', String(to), '--json'];
    const { stdout, stderr, code } = await cli(installation.env, ...args);
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout);
  }

  /** Removes the old rows at once, while no client uses the application. */
  function moveUnused({ applicationId }: Chat, to: number, onStep: MoveOptions['onStep'] = () => {}) {
    return moveApplication({
      databases: installation.databases.map(({ config }) => config),
      applicationId,
      to,
      onStep,
      onRows: () => {},
      wake: () => {},
      settleMs: 0,
    });
  }

  /** At a step, or at its end. */
  async function killMove(chat: Chat, step: Step): Promise<void> {
    const home = homeOf(chat);
    const database = installation.databases[STEPS[step].in === 'home' ? home : 1 - home]!;
    const running = launchCli(installation.env, 'app', 'move', String(chat.applicationId), '--to', String(1 - home));
    let isOver = false;
    void running.answer.finally(() => {
      isOver = true;
    });
    await until(
      async () => isOver || (await onDatabase(database, STEPS[step].text, [chat.applicationId])).rows.length > 0,
    );
    await running.kill();
  }

  async function send({ alice, dialogId }: Chat): Promise<string> {
    const query = 'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { id } }';
    const { data } = await request(urls()[0]!, query, { input: { dialogId, text: 'hello' } }, alice.headers);
    return data.sendMessage.id;
  }

  /** From the cursor that the client has had since the beginning. */
  async function heardSince({ bob, since }: Chat): Promise<string[]> {
    const query = `query ($since: String) {
      changes(since: $since, first: 100) { events { ... on MessageSent { message { id } } } } }`;
    const { data } = await request(urls()[1]!, query, { since }, bob.headers);
    return data.changes.events.flatMap(({ message }: { message?: { id: string } }) => message?.id ?? []);
  }

  async function rowsOf(number: number, { applicationId }: Chat): Promise<Record<string, unknown[]>> {
    const database = installation.databases[number]!;
    const tables = (await tablesOf(database)).filter((name) => !OF_THE_DATABASE.includes(name));
    const found = tables.map(async (name) => {
      const text = `SELECT to_jsonb(t) AS row FROM ${name} t WHERE application_id = $1 ORDER BY to_jsonb(t)`;
      const { rows } = await onDatabase(database, text, [applicationId]);
      return [name, rows] as const;
    });
    return Object.fromEntries((await Promise.all(found)).filter(([, rows]) => rows.length > 0));
  }

  async function expectOnlyIn(number: number, chat: Chat): Promise<void> {
    expect(Object.keys(await rowsOf(1 - number, chat))).toEqual([]);
    await expectNoTriggers(1 - number);
    expect(await rowsOf(number, chat)).toHaveProperty('users');
  }

  /** The application is deleted in its home, and the other database has nothing of it. */
  async function expectNothingMoved(chat: Chat): Promise<void> {
    const home = homeOf(chat);
    expect(Object.keys(await rowsOf(1 - home, chat))).toEqual([]);
    await expectNoTriggers(home);
    const states = installation.databases.map((database) =>
      onDatabase(database, 'SELECT import_id AS state FROM applications WHERE id = $1', [chat.applicationId]),
    );
    const found = (await Promise.all(states)).map(({ rows }) => rows.map(({ state }) => state));
    expect([found[home], found[1 - home]]).toEqual([['deleted'], []]);
  }

  async function expectNoTriggers(number: number): Promise<void> {
    const text = `SELECT tgname FROM pg_trigger WHERE tgname LIKE 'move\\_%'`;
    expect((await onDatabase(installation.databases[number]!, text)).rows).toEqual([]);
  }

  function deleteApplication({ applicationId }: Chat) {
    return cliJson(installation.env, 'app', 'delete', String(applicationId), '--yes');
  }
});

function homeOf({ applicationId }: Chat): number {
  return applicationId % 2;
}

function messagesIn(received: Listener['received']) {
  return received.filter(({ kind }) => kind === 'MessageSent');
}
