import { afterEach, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { hashSecret } from '../../../src/lib/tokens.ts';
import { APPLICATION, running, SAMPLE_TIME, useApp } from '../../support/app/app.ts';
import { createTenant, startAnother } from '../../support/app/other-apps.ts';
import { rest } from '../../support/clients/rest.ts';
import { streamEvents } from '../../support/clients/sse.ts';
import { closeSockets, connect, listen, openSocket, until } from '../../support/clients/websocket.ts';
import { createDialog, errorOf, execute, MESSAGE_SENT, send } from '../../support/fixtures/chat.ts';
import { UNAUTHORIZED } from '../../support/fixtures/error-bodies.ts';
import { apiKey, type Caller, createUser, onBehalfOf } from '../../support/fixtures/users.ts';

useApp();

afterEach(() => closeSockets());

const CREATE = 'mutation ($name: String!) { createApiKey(name: $name) { id name key createdAt } }';
const REVOKE = 'mutation ($id: Int!) { revokeApiKey(id: $id) { id name revokedAt } }';
const LIST = '{ apiKeys { id name createdAt revokedAt } }';

interface MadeKey extends Caller {
  id: number;
  key: string;
}

async function makeKey(name = 'worker'): Promise<MadeKey> {
  const { createApiKey } = await execute(CREATE, { name }, apiKey);
  return { ...createApiKey, headers: { Authorization: `ApiKey ${createApiKey.key}` } };
}

const actingFor = ({ headers }: Caller, { id }: { id: number }): Caller => ({
  headers: { ...headers, 'On-Behalf-Of': String(id) },
});

const at = SAMPLE_TIME.toISOString();

describe('createApiKey', () => {
  test('createApiKey returns the key once and stores only its hash', async () => {
    const { createApiKey } = await execute(CREATE, { name: ' worker ' }, apiKey);
    const { id, key } = createApiKey;
    expect(createApiKey).toEqual({
      id: expect.any(Number),
      name: 'worker',
      key: expect.stringMatching(/^[\w-]{43}$/),
      createdAt: at,
    });
    const row = await db.apiKey.findUniqueOrThrow({
      where: { applicationId_id: { applicationId: APPLICATION.id, id } },
    });
    expect(row.keyHash).toBe(hashSecret(key));

    const made: Caller = { headers: { Authorization: `ApiKey ${key}` } };
    const { apiKeys } = await execute(LIST, {}, made);
    expect(apiKeys.at(-1)).toEqual({ id, name: 'worker', createdAt: at, revokedAt: null });
    expect(apiKeys[0].name).toBe('first');
    const alice = await createUser();
    expect((await execute('{ me { id } }', {}, actingFor(made, alice))).me.id).toBe(alice.id);
    expect((await execute('{ application { id } }', {}, made)).application.id).toBe(APPLICATION.id);
  });

  test('createApiKey rejects invalid names', async () => {
    expect(await errorOf(CREATE, { name: ' ' }, apiKey)).toMatchObject({
      message: "Name can't be blank",
      code: 'UNPROCESSABLE',
    });
    expect(await errorOf(CREATE, { name: 'x'.repeat(256) }, apiKey)).toMatchObject({
      message: 'Name is too long (maximum is 255 characters)',
    });
  });
});

describe('revokeApiKey', () => {
  test('revokeApiKey invalidates the key on every transport, alone and on behalf of users', async () => {
    const [made, alice] = [await makeKey(), await createUser()];
    expect(await execute(REVOKE, { id: made.id }, apiKey)).toEqual({
      revokeApiKey: { id: made.id, name: 'worker', revokedAt: at },
    });
    for (const as of [made, actingFor(made, alice)]) {
      const answer = await rest('GET', '/chat/Dialog.json', { as });
      expect([answer.status, answer.body]).toEqual([401, UNAUTHORIZED]);
      expect(await errorOf('{ dialogs { totalCount } }', {}, as)).toEqual({
        message: 'Unauthorized',
        code: 'UNAUTHENTICATED',
      });
      const socket = await openSocket();
      socket.send({ type: 'connection_init', payload: as.headers });
      expect((await socket.closed).code).toBe(4403);
    }
    expect((await execute(LIST, {}, apiKey)).apiKeys.at(-1)).toMatchObject({ id: made.id, revokedAt: at });
  });

  test('revokeApiKey rejects revoked, foreign and unknown keys', async () => {
    const other = await createTenant(0);
    const [theirs] = (await execute(LIST, {}, other.key)).apiKeys;
    const made = await makeKey();
    await execute(REVOKE, { id: made.id }, apiKey);
    for (const id of [made.id, theirs.id, 2_147_483_647, 0, -1]) {
      expect(await errorOf(REVOKE, { id }, apiKey)).toMatchObject({ code: 'NOT_FOUND' });
    }
    expect((await execute('{ application { id } }', {}, other.key)).application.id).toBe(other.applicationId);
  });

  test("revokeApiKey closes the key's sockets within a second on every process, including On-Behalf-Of, and no others", async () => {
    const [made, kept, alice] = [await makeKey(), await makeKey(), await createUser()];
    const dialogId = await createDialog(alice, [alice]);
    const second = await startAnother();
    const ending = [
      await connect(made),
      (await listen(MESSAGE_SENT, { dialogId }, actingFor(made, alice))).socket,
      (await listen(MESSAGE_SENT, {}, made, second)).socket,
      await connect(actingFor(made, alice), second),
    ];
    const streams = [
      await streamEvents(MESSAGE_SENT, { dialogId }, made),
      await streamEvents(MESSAGE_SENT, {}, actingFor(made, alice), second),
    ];
    const staying = [
      await listen(MESSAGE_SENT, { dialogId }, kept),
      await listen(MESSAGE_SENT, {}, actingFor(kept, alice), second),
      await listen(MESSAGE_SENT, {}, alice, second),
      await listen(MESSAGE_SENT, {}, onBehalfOf(alice)),
    ];
    const { hub } = running.app.services;
    await until(() => hub.subscriptionCount === 4 && second.services.hub.subscriptionCount === 4);

    await execute(REVOKE, { id: made.id }, kept);
    for (const socket of ending) expect((await socket.closed).code).toBe(4403);
    for (const stream of streams) await stream.ended;
    await send(alice, dialogId, 'still here');
    for (const receivedEvents of staying) await receivedEvents.atLeast(1);
    expect(ending.flatMap(({ received }) => received.filter(({ type }) => type === 'next'))).toEqual([]);
    expect(streams.flatMap(({ results }) => results)).toEqual([]);
    await until(() => hub.subscriptionCount === 2 && second.services.hub.subscriptionCount === 2);
    for (const { socket } of staying) socket.socket.terminate();
    await second.stop();
  });

  test('deleting a user closes the sockets that a key opened on their behalf, and no others of the key', async () => {
    const alice = await createUser();
    const second = await startAnother();
    const ending = [
      await connect(onBehalfOf(alice)),
      (await listen(MESSAGE_SENT, {}, onBehalfOf(alice), second)).socket,
      await connect(alice, second),
    ];
    const staying = await connect(apiKey);
    await rest('DELETE', `/users/${alice.id}.json`, { as: apiKey });
    for (const socket of ending) expect((await socket.closed).code).toBe(4403);
    expect((await staying.run('{ application { id } }')).data.application.id).toBe(APPLICATION.id);
    await second.stop();
  });

  test('an API key may revoke itself', async () => {
    const made = await makeKey();
    expect((await execute(REVOKE, { id: made.id }, made)).revokeApiKey.id).toBe(made.id);
    expect((await rest('GET', '/chat/Dialog.json', { as: made })).status).toBe(401);
  });
});
