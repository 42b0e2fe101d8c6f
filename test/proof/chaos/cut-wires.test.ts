import { pino } from 'pino';
import { afterAll, expect, test, vi } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { findDifferences } from '../../support/app/integrity.ts';
import { until } from '../../support/app/until.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { rest } from '../../support/clients/rest.ts';
import { closeSockets, listen } from '../../support/clients/websocket.ts';
import type { FaultProxy } from '../../support/faults/fault-proxy.ts';
import { createProxiedDatabase } from '../../support/faults/proxied-database.ts';
import { createDialog, execute, MESSAGE_SENT, type QuickUser, quickUsers } from '../../support/fixtures/chat.ts';
import { apiKey } from '../../support/fixtures/users.ts';
import { faultsIn } from './assertions.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

/** Bytes between two cuts; odd, so that cuts fall into every kind of field. */
const STEP = 149;

let proxy: FaultProxy;
let output = '';
useApp({
  database: async () => {
    const database = await createProxiedDatabase();
    proxy = database.proxy;
    return database;
  },
  log: pino({ level: 'warn' }, { write: (line: string) => (output += line) }),
});

afterAll(() => closeSockets());

/**
 * Repeats an action while cutting the database connection at ever later bytes, first of requests, then of responses,
 * until the action completes before the cut.
 */
async function overCutWires(act: (nth: number) => Promise<void>): Promise<number> {
  let nth = 0;
  for (const isBack of [false, true]) {
    for (let bytes = 0, isOver = false; !isOver; bytes += STEP) {
      proxy.cutAfter(bytes, isBack);
      await act(nth++);
      isOver = proxy.cancelCut();
    }
  }
  return nth;
}

test('a message retried until acknowledged is stored and published once when the database connection is cut at any byte', async () => {
  const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
  const dialogId = await createDialog(alice, [bob]);
  const listening = await listen(MESSAGE_SENT, { dialogId }, bob);
  const query = 'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { id } }';
  const ids: string[] = [];
  const sent = await overCutWires(async (nth) => {
    const input = { dialogId, text: `message ${nth}`, clientId: String(nth) };
    await until(async () => {
      const { data, errors } = await graphql(query, { input }, alice);
      if (errors) expect(errors).toMatchObject([{ message: 'Service unavailable' }]);
      else ids.push(data.sendMessage.id);
      return !errors;
    });
  });
  expect(proxy.cuts).toBeGreaterThan(10);
  await listening.atLeast(sent);
  expect(listening.payloads().map(({ messageSent }) => messageSent.message.id)).toEqual(ids);
  const stored: string[] = [];
  for (let skip = 0; skip <= ids.length; skip += 100) {
    const path = `/chat/Message?chat_dialog_id=${dialogId}&sort_asc=date_sent&limit=100&skip=${skip}`;
    const { items } = (await rest('GET', path, { as: bob })).body;
    stored.push(...items.map((item: { _id: string }) => item._id));
  }
  expect(stored).toEqual(ids);
  expect(await findDifferences()).toEqual([]);
  expect(faultsIn(output)).toEqual([]);
});

test('a record with a unique value is created once when the database connection is cut at any byte', async () => {
  const [alice] = (await quickUsers(1)) as [QuickUser];
  const fields = [{ name: 'code', type: 'STRING', unique: true, index: true }];
  await execute(
    'mutation ($input: CreateClassInput!) { createClass(input: $input) { id } }',
    { input: { name: 'parts', fields } },
    apiKey,
  );
  const made = await overCutWires(async (nth) => {
    await until(async () => {
      const { status, text } = await rest('POST', '/data/parts', { as: alice, json: { code: `part ${nth}` } });
      // An earlier attempt, whose response was lost, has created it.
      if (status === 422) expect(text).toContain('taken');
      else if (status !== 201)
        expect({ status, text }).toEqual({ status: 503, text: expect.stringContaining('unavailable') });
      return status !== 503;
    });
  });
  const codes: string[] = [];
  for (let nth = 0; nth < made; nth++) {
    const { body } = await rest('GET', `/data/parts?code=${encodeURIComponent(`part ${nth}`)}`, { as: alice });
    codes.push(...body.items.map(({ code }: { code: string }) => code));
  }
  expect(codes).toEqual(Array.from({ length: made }, (_, nth) => `part ${nth}`));
  expect(await findDifferences()).toEqual([]);
  expect(faultsIn(output)).toEqual([]);
});
