import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createPool } from '../../../src/db/pool.ts';
import type { App } from '../../../src/server/lifecycle.ts';
import { clock, running, useApp } from '../../support/app/app.ts';
import { findDifferences } from '../../support/app/integrity.ts';
import { type PostgresPair, startPostgresPair } from '../../support/app/postgres-pair.ts';
import { createDataDir, type Service, startService } from '../../support/app/service.ts';
import { sql } from '../../support/app/sql.ts';
import { until } from '../../support/app/until.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { DIALOG_EVENTS, eventsOf } from '../../support/clients/live.ts';
import { rest } from '../../support/clients/rest.ts';
import { type EventStream, streamEvents } from '../../support/clients/sse.ts';
import { closeSockets, listen } from '../../support/clients/websocket.ts';
import { createBlob } from '../../support/fixtures/blobs.ts';
import { createDialog, errorOf, execute, type QuickUser, quickUsers, send } from '../../support/fixtures/chat.ts';
import { defineClass } from '../../support/fixtures/typed-classes.ts';
import { type Caller, createUser } from '../../support/fixtures/users.ts';
import { faultsIn } from './assertions.ts';

const TIMEOUT_MS = 600_000;

/** More than the 32 values that PostgreSQL logs of a sequence in advance. */
const LOST = 50;

const CHANGES = `query ($since: String) { changes(since: $since, first: 100) {
  cursor events { __typename cursor ... on MessageSent { message { text } } } } }`;
const ADD = 'mutation ($id: ID!, $input: UpdateDialogInput!) { updateDialog(id: $id, input: $input) { id } }';

let pair: PostgresPair;
let folder: Awaited<ReturnType<typeof createDataDir>>;
let other: Service;
const streams: EventStream[] = [];

useApp({
  database: async () => {
    pair = await startPostgresPair({ isSynchronous: false });
    return pair;
  },
});

beforeAll(async () => {
  // That of the second process, which deletes old events.
  clock.set(new Date());
  folder = await createDataDir();
  other = await startService(folder.dataDir, { DATABASE_URL: pair.url });
}, TIMEOUT_MS);

afterEach(async () => {
  for (const stream of streams.splice(0)) stream.abort();
  await closeSockets();
});

afterAll(async () => {
  await other.kill();
  await folder.remove();
}, TIMEOUT_MS);

const changes = async (as: Caller, since?: string) => (await execute(CHANGES, { since }, as)).changes;

/** Kills the primary, and waits until both processes have the promoted standby. */
async function failOver(as: Caller): Promise<void> {
  await pair.failOver();
  const isServed = async (url: string) => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...as.headers },
      body: JSON.stringify({ query: CHANGES }),
    });
    return response.ok && !(await response.text()).includes('errors');
  };
  await until(() => isServed(running.url));
  await until(() => isServed(other.url));
}

async function openStream(variables: object, as: Caller, { url }: { url: string } = running): Promise<EventStream> {
  const stream = await streamEvents(DIALOG_EVENTS, { ...variables }, as, { url } as App);
  streams.push(stream);
  return stream;
}

/** Whether the second process has registered a subscription cannot be seen from outside, except by its events. */
async function subscribedElsewhere(as: Caller, dialogId: string, sender: Caller): Promise<EventStream> {
  const stream = await openStream({ dialogId }, as, other);
  await until(async () => {
    await send(sender, dialogId, 'are you there?');
    return stream.results.length > 0;
  });
  return stream;
}

test('after the loss of acknowledged changes, cursors ahead of them expire, and no id or position is assigned again', {
  timeout: TIMEOUT_MS,
}, async () => {
  const [alice, bob, carol, dave] = (await quickUsers(4)) as [QuickUser, QuickUser, QuickUser, QuickUser];
  const dialogId = await createDialog(alice, [bob]);
  const [quietId, growing] = [await createDialog(alice, [bob]), await createDialog(alice, [bob])];
  const elsewhere = await subscribedElsewhere(bob, dialogId, alice);
  const { cursor: kept } = await changes(bob);
  await pair.untilReplicated();
  await pair.cutReplication();

  const live = await listen(DIALOG_EVENTS, { dialogId }, bob);
  const quiet = await listen(DIALOG_EVENTS, { dialogId: quietId, since: kept }, bob);
  const stream = await openStream({ dialogId, since: kept }, bob);
  const create = async (name: string) => {
    const messages: string[] = [];
    const ids: number[] = [];
    for (let nth = 0; nth < LOST; nth++) messages.push(await send(alice, dialogId, `${name} ${nth}`));
    for (let nth = 0; nth < LOST; nth++) ids.push((await createUser()).id);
    const blob = (await createBlob(alice)).id as number;
    const { events, cursor } = await changes(bob, kept);
    return { messages, ids, blob, cursor, positions: events.map((event: { cursor: string }) => event.cursor) };
  };
  const lost = await create('lost');
  expect(lost.positions).toHaveLength(LOST);
  await defineClass('Lost', { name: 'String' });
  expect((await rest('POST', '/data/Lost', { as: alice, json: { name: 'of a lost class' } })).status).toBe(201);
  const ofGrowing = await listen(DIALOG_EVENTS, { dialogId: growing }, bob);
  await execute(ADD, { id: growing, input: { addOccupantIds: [carol.id] } }, alice);
  await ofGrowing.atLeast(1);
  await live.atLeast(LOST);
  await until(() => stream.results.length >= LOST && elsewhere.results.length > LOST);
  const { cursor: ahead } = await changes(bob);
  const values = await sql<{ name: string; last: string }>(
    'SELECT sequencename AS name, last_value AS last FROM pg_sequences WHERE last_value IS NOT NULL',
  );

  await pair.failOver();
  // The first statement that the new primary receives is a write.
  await until(async () => {
    const input = { dialogId, text: 'first' };
    const { errors } = await graphql(
      'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { id } }',
      { input },
      alice,
    );
    return errors === undefined;
  });
  for (const { name, last } of values) {
    const [row] = await sql<{ isNew: boolean }>(`SELECT nextval('${name}') > ${last} AS "isNew"`);
    expect([name, row!.isNew]).toEqual([name, true]);
  }
  const again = await create('again');
  expect(again.ids.filter((id) => lost.ids.includes(id))).toEqual([]);
  expect(again.messages.filter((id) => lost.messages.includes(id))).toEqual([]);
  expect(again.blob).toBeGreaterThan(lost.blob);
  for (const position of again.positions) expect(BigInt(position)).toBeGreaterThan(BigInt(ahead));

  const expired = { extensions: { code: 'CURSOR_EXPIRED' } };
  const ended = await live.socket.find(({ type }) => type === 'error' || type === 'complete');
  expect(ended).toMatchObject({ type: 'error', payload: [expired] });
  for (const { results, ended } of [stream, elsewhere]) {
    await ended;
    expect(results.at(-1).errors).toMatchObject([expired]);
  }
  for (const since of [ahead, lost.cursor]) {
    expect(await errorOf(CHANGES, { since }, bob)).toMatchObject({ code: 'CURSOR_EXPIRED' });
    await expect(listen(DIALOG_EVENTS, { since }, bob)).rejects.toMatchObject([expired]);
  }
  const resumed = await changes(bob, kept);
  const texts = ['first', ...Array.from({ length: LOST }, (_, nth) => `again ${nth}`)];
  expect(resumed.events.map((event: { message: { text: string } }) => event.message.text)).toEqual(texts);

  await send(alice, quietId, 'the cursor of this subscriber was not ahead');
  expect((await quiet.atLeast(1)).map(({ dialogEvents }) => dialogEvents.message.text)).toEqual([
    'the cursor of this subscriber was not ahead',
  ]);

  // What was lost is not served from memory, even if its version is assigned again.
  expect((await rest('POST', '/data/Lost', { as: alice, json: { name: 'none' } })).status).toBe(403);
  const [ofCarol, ofDave] = [await listen(DIALOG_EVENTS, {}, carol), await listen(DIALOG_EVENTS, {}, dave)];
  await execute(ADD, { id: growing, input: { addOccupantIds: [dave.id] } }, alice);
  await send(alice, growing, 'for Dave');
  await until(() => eventsOf(ofDave).some(({ message }) => message?.text === 'for Dave'));
  expect(eventsOf(ofCarol)).toEqual([]);
  expect(await findDifferences()).toEqual([]);
  expect(faultsIn(other.output())).toEqual([]);
});

test('a promotion that loses nothing ends no subscription', { timeout: TIMEOUT_MS }, async () => {
  await pair.addStandby();
  const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
  const dialogId = await createDialog(alice, [bob]);
  const elsewhere = await subscribedElsewhere(bob, dialogId, alice);
  const live = await listen(DIALOG_EVENTS, { dialogId }, bob);
  await send(alice, dialogId, 'before');
  await live.atLeast(1);
  await pair.untilReplicated();
  await failOver(alice);
  await send(alice, dialogId, 'after');
  expect((await live.atLeast(2)).map(({ dialogEvents }) => dialogEvents.message.text)).toEqual(['before', 'after']);
  await until(() => elsewhere.results.at(-1).data?.dialogEvents.message.text === 'after');
});

test('connections to a standby do not write after its promotion before the sequences have been advanced', {
  timeout: TIMEOUT_MS,
}, async () => {
  await pair.addStandby();
  const pool = createPool({ connectionString: pair.standbyUrl(), max: 3 });
  onTestFinished(() => pool.end());
  const clients = await Promise.all([pool.connect(), pool.connect(), pool.connect()]);
  for (const client of clients) client.release();
  expect((await pool.query('SHOW transaction_read_only')).rows).toEqual([{ transaction_read_only: 'on' }]);
  const [before] = await sql<{ last: string }>(
    "SELECT last_value AS last FROM pg_sequences WHERE sequencename = 'users_id_seq'",
  );
  await pair.untilReplicated();
  await pair.failOver();
  let refusals = 0;
  const next = async (): Promise<number> => {
    for (;;) {
      const answer = await pool
        .query<{ id: string }>("SELECT nextval('users_id_seq') AS id")
        .catch((error: { code?: string }) => error);
      if ('rows' in answer) return Number(answer.rows[0]!.id);
      expect(answer.code).toBe('25006');
      refusals++;
    }
  };
  for (const id of await Promise.all([next(), next(), next()]))
    expect(id).toBeGreaterThan(Number(before!.last) + 1_000_000);
  expect(refusals).toBe(3);
});
