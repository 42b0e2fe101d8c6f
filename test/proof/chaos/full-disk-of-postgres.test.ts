import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { findDifferences } from '../../support/app/integrity.ts';
import { type OwnDatabase, startOwnDatabase } from '../../support/app/postgres-server.ts';
import { ownConnection } from '../../support/app/sql.ts';
import { until } from '../../support/app/until.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { type RestCall, rest } from '../../support/clients/rest.ts';
import { closeSockets, type LiveSubscription, listen } from '../../support/clients/websocket.ts';
import { CAN_MOUNT, mountTinyDisk, type TinyDisk } from '../../support/faults/tiny-disk.ts';
import { createDialog, execute, MESSAGE_SENT, type QuickUser, quickUsers } from '../../support/fixtures/chat.ts';
import { defineClass } from '../../support/fixtures/typed-classes.ts';
import { apiKey } from '../../support/fixtures/users.ts';
import { faultsIn } from './assertions.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

if (!CAN_MOUNT) {
  console.info(
    'Skipped: PostgreSQL on a full file system, because only root can mount a small one. test/db/query.test.ts covers its error codes.',
  );
}

const UNAVAILABLE = { status: 503, text: '{"errors":["Service unavailable"]}' };
const SEND = 'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { id } }';
/** A text that PostgreSQL cannot compress. */
const LONG = () => randomBytes(1_500).toString('hex');

describe.skipIf(!CAN_MOUNT)('while the disk of PostgreSQL is full', () => {
  let disk: TinyDisk;
  let database: OwnDatabase;
  let output = '';
  useApp({
    database: async () => {
      disk = mountTinyDisk(192);
      database = await startOwnDatabase(disk);
      return database;
    },
    log: pino({ level: 'warn' }, { write: (line: string) => (output += line) }),
  });

  let alice: QuickUser;
  let bob: QuickUser;
  let dialogId: string;
  beforeAll(async () => {
    [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    dialogId = await createDialog(alice, [bob]);
    await defineClass('notes', { text: 'String' });
  });

  afterEach(() => closeSockets());

  const stored: string[] = [];

  /** @returns whether the message was stored; otherwise it must have been refused as unavailable */
  async function say(text: string): Promise<boolean> {
    const input = { dialogId, text, clientId: text.slice(0, 32) };
    const { errors } = await graphql(SEND, { input }, alice);
    if (errors) expect(errors).toMatchObject([{ message: 'Service unavailable' }]);
    else stored.push(text);
    return !errors;
  }

  async function sayUntil(isEnough: (wasStored: boolean) => boolean): Promise<void> {
    await until(async () => isEnough(await say(LONG())));
  }

  async function textsThere(): Promise<string[]> {
    // Marking the messages as read would be a write.
    const { status, text, body } = await rest(
      'GET',
      `/chat/Message?chat_dialog_id=${dialogId}&sort_asc=date_sent&limit=1000&mark_as_read=0`,
      { as: bob },
    );
    expect({ status, text }).toMatchObject({ status: 200 });
    return body.items.map(({ message }: { message: string }) => message);
  }

  /** Asserts that exactly the acknowledged messages are stored and were delivered, once and in order. */
  async function expectWhole(listening: LiveSubscription, from: number): Promise<void> {
    expect(await textsThere()).toEqual(stored);
    await listening.atLeast(stored.length - from);
    expect(listening.payloads().map(({ messageSent }) => messageSent.message.text)).toEqual(stored.slice(from));
    expect(await findDifferences()).toEqual([]);
    expect(faultsIn(output)).toEqual([]);
  }

  test('writes are refused completely, reads continue, and writes succeed again once there is space', async () => {
    await sayUntil(() => true);
    const from = stored.length;
    const listening = await listen(MESSAGE_SENT, { dialogId }, bob);
    await disk.fill();
    await sayUntil((wasStored) => !wasStored);
    expect(await textsThere()).toEqual(stored);
    const writes: [path: string, call: RestCall][] = [
      ['/data/notes', { as: alice, json: { text: LONG() } }],
      ['/users', { as: apiKey, json: { user: { login: 'carol', password: 'password-1', custom_data: LONG() } } }],
      ['/address_book', { as: alice, json: { contacts: [{ name: 'A friend', phone: '+442012345678' }] } }],
    ];
    for (const [path, call] of writes) {
      const { status, text } = await rest('POST', path, call);
      if (status >= 300) expect({ path, status, text }).toEqual({ path, ...UNAVAILABLE });
    }
    expect(await execute('{ me { id } }', {}, bob)).toEqual({ me: { id: bob.id } });
    expect(await textsThere()).toEqual(stored);

    await disk.free();
    await sayUntil((wasStored) => wasStored);
    await expectWhole(listening, from);
  });

  test('PostgreSQL stops without space for its log, and recovers once there is space', async () => {
    const from = stored.length;
    const listening = await listen(MESSAGE_SENT, { dialogId }, bob);
    await say('before');
    const holder = await ownConnection();
    const broken = new Promise<void>((resolve) => holder.on('end', () => resolve()));
    await disk.fill();
    const write = "SELECT pg_logical_emit_message(false, 'filling', repeat('x', 1000000))";
    await until(() =>
      holder.query(write).then(
        () => false,
        () => true,
      ),
    );
    await broken;
    let text = '';
    await until(async () => {
      text = LONG();
      return !(await say(text));
    });

    await disk.free();
    // A refused sender does not know the outcome; a retry is stored once.
    await until(() => say(text));
    await expectWhole(listening, from);
  });
});
