import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { sweep } from '../../../src/jobs/sweep.ts';
import { sign } from '../../../src/lib/signature.ts';
import { APPLICATION, clock, running, SAMPLE_TIME, useApp } from '../../support/app/app.ts';
import { createTenant } from '../../support/app/other-apps.ts';
import { rest } from '../../support/clients/rest.ts';
import { closeSockets, connect } from '../../support/clients/websocket.ts';
import { errorOf, execute } from '../../support/fixtures/chat.ts';
import { RETENTION } from '../../support/fixtures/retention.ts';
import { apiKey, createUser, onBehalfOf, openSession } from '../../support/fixtures/users.ts';

useApp();

const DEFAULTS = { signatureHash: 'sha1', usersList: true, passwordReset: true, sessionMinutes: null } as const;

beforeEach(() => db.application.update({ where: { id: APPLICATION.id }, data: DEFAULTS }));
afterEach(async () => {
  clock.reset();
  await closeSockets();
});

const minutesOn = (minutes: number, milliseconds = 0) => clock.reset(minutes * 60_000 + milliseconds);

const FIELDS = 'id name authKey signatureHash usersList passwordReset sessionMinutes createdAt updatedAt';
const UPDATE = `mutation ($input: UpdateApplicationInput!) { updateApplication(input: $input) { ${FIELDS} } }`;

async function update(input: object) {
  return (await execute(UPDATE, { input }, apiKey)).updateApplication;
}

describe('application', () => {
  test('application returns the application of the key without its secret', async () => {
    const { application } = await execute(`{ application { ${FIELDS} } }`, {}, apiKey);
    expect(application).toEqual({
      id: 92,
      name: 'test',
      authKey: 'AUTHKEY',
      signatureHash: 'SHA1',
      usersList: true,
      passwordReset: true,
      sessionMinutes: null,
      createdAt: SAMPLE_TIME.toISOString(),
      updatedAt: SAMPLE_TIME.toISOString(),
    });
    const { key, applicationId } = await createTenant(0);
    expect(await execute('{ application { id name } }', {}, key)).toEqual({
      application: { id: applicationId, name: 'other' },
    });
  });

  test('application is available only to API keys', async () => {
    const alice = await createUser();
    for (const as of [alice, onBehalfOf(alice)]) {
      for (const document of [
        '{ application { id } }',
        '{ apiKeys { id } }',
        'mutation { revokeApiKey(id: 1) { id } }',
      ])
        expect(await errorOf(document, {}, as)).toMatchObject({
          message: "You don't have appropriate permissions to do this operation",
          code: 'FORBIDDEN',
        });
    }
  });
});

describe('updateApplication', () => {
  test("updateApplication changes the given fields of the key's application", async () => {
    const other = await createTenant(0);
    minutesOn(1);
    const first = await update({ usersList: false, passwordReset: false });
    expect(first).toMatchObject({ signatureHash: 'SHA1', usersList: false, passwordReset: false });
    expect(first.updatedAt).toBe(running.now().toISOString());
    const second = await update({ name: ' Shop ', sessionMinutes: 5 });
    expect(second).toMatchObject({ name: 'Shop', usersList: false, passwordReset: false, sessionMinutes: 5 });
    const third = await update({ name: 'test', usersList: null, passwordReset: null, signatureHash: null });
    expect(third).toEqual({ ...second, name: 'test' });
    expect(await update({})).toEqual(third);
    expect(await update({ sessionMinutes: null, passwordReset: true })).toMatchObject({
      sessionMinutes: null,
      passwordReset: true,
    });
    expect(await execute('{ application { usersList passwordReset } }', {}, other.key)).toEqual({
      application: { usersList: true, passwordReset: true },
    });
  });

  test('new applications have restrictive defaults for groups and files, and older ones keep the documented behavior', async () => {
    const fields = '{ application { groups filesByNumber } }';
    expect(await execute(fields, {}, apiKey)).toEqual({ application: { groups: 'GRANTED', filesByNumber: 'OWNER' } });
    const other = await createTenant(0);
    expect(await execute(fields, {}, other.key)).toEqual({ application: { groups: 'SELF', filesByNumber: 'SESSION' } });
    const change =
      'mutation { updateApplication(input: { groups: GRANTED, filesByNumber: OWNER }) { groups filesByNumber } }';
    expect(await execute(change, {}, other.key)).toEqual({
      updateApplication: { groups: 'GRANTED', filesByNumber: 'OWNER' },
    });
  });

  test('updateApplication rejects invalid settings', async () => {
    for (const sessionMinutes of [0, -1]) {
      expect(await errorOf(UPDATE, { input: { sessionMinutes } }, apiKey)).toMatchObject({
        message: 'Session minutes should be a positive integer',
        code: 'UNPROCESSABLE',
      });
    }
    expect(await errorOf(UPDATE, { input: { name: ' ' } }, apiKey)).toMatchObject({
      fields: { name: ["can't be blank"] },
    });
    expect(await errorOf(UPDATE, { input: { name: 'x'.repeat(256) } }, apiKey)).toMatchObject({
      fields: { name: ['is too long (maximum is 255 characters)'] },
    });
  });

  test('signatureHash decides which hash signs sessions', async () => {
    const post = (nonce: number, hash: 'sha1' | 'sha256') => {
      const fields: Record<string, string> = {
        application_id: '92',
        auth_key: 'AUTHKEY',
        nonce: String(nonce),
        timestamp: '1795196819',
      };
      const signature = sign(Object.entries(fields), APPLICATION.authSecret, hash);
      return rest('POST', '/session.json', { form: new URLSearchParams({ ...fields, signature }).toString() });
    };
    const refusal = { errors: { base: ['Unexpected signature'] } };
    expect((await post(1, 'sha256')).body).toEqual(refusal);
    expect(await update({ signatureHash: 'SHA256' })).toMatchObject({ signatureHash: 'SHA256' });
    expect((await post(2, 'sha1')).body).toEqual(refusal);
    expect((await post(3, 'sha256')).status).toBe(201);
    await update({ signatureHash: 'SHA1' });
    expect((await post(4, 'sha256')).body).toEqual(refusal);
    expect((await post(5, 'sha1')).status).toBe(201);
  });
});

describe('sessionMinutes', () => {
  const look = (as: { headers: Record<string, string> }) => rest('GET', '/session.json', { as });

  test("sessionMinutes sets the lifetime of the application's sessions to the millisecond", async () => {
    const other = await createTenant(0);
    await update({ sessionMinutes: 5 });
    const [kept, ended] = [await openSession(), await openSession()];
    expect((await look(ended)).headers.get('svc-token-expirationdate')).toBe('2026-11-20 17:51:59 UTC');
    minutesOn(5, -1);
    expect((await look(kept)).status).toBe(200);
    minutesOn(5);
    expect((await look(ended)).status).toBe(401);
    minutesOn(10, -2);
    expect((await look(kept)).status).toBe(200);
    expect((await execute('{ application { sessionMinutes } }', {}, other.key)).application.sessionMinutes).toBeNull();
  });

  test('opening a session returns its lifetime', async () => {
    await update({ sessionMinutes: 300 });
    const signed = { application_id: '92', auth_key: 'AUTHKEY', nonce: '77', timestamp: '1795196819' };
    const signature = sign(Object.entries(signed), APPLICATION.authSecret, 'sha1');
    const { status, headers, body } = await rest('POST', '/session.json', { json: { ...signed, signature } });
    expect([status, headers.get('svc-token-expirationdate')]).toEqual([201, '2026-11-20 22:46:59 UTC']);
    const as = { headers: { 'SVC-Token': body.session.token as string } };
    expect((await execute('{ session { expiresAt } }', {}, as)).session.expiresAt).toBe('2026-11-20T22:46:59.000Z');
    minutesOn(299);
    expect((await look(as)).status).toBe(200);
  });

  test('a changed sessionMinutes applies to open sessions and their sockets', async () => {
    const alice = await createUser();
    const [socket, staying] = [await connect(alice), await connect(onBehalfOf(alice))];
    minutesOn(10);
    expect((await look(await openSession())).status).toBe(200);
    await update({ sessionMinutes: 9 });
    expect((await socket.closed).code).toBe(4403);
    expect((await look(alice)).status).toBe(401);
    await update({ sessionMinutes: 1000 });
    expect((await look(alice)).status).toBe(200);
    minutesOn(1009);
    const { headers } = await look(alice);
    expect(headers.get('svc-token-expirationdate')).toBe('2026-11-22 03:15:59 UTC');
    expect((await staying.run('{ me { id } }')).data.me.id).toBe(alice.id);
  });

  test('the sweep removes sessions by sessionMinutes', async () => {
    await update({ sessionMinutes: 300 });
    const kept = await openSession();
    const other = await createTenant(0);
    await db.session.deleteMany({ where: { NOT: { applicationId: APPLICATION.id } } });
    await db.session.create({
      data: {
        applicationId: other.applicationId,
        tokenHash: 'x',
        nonce: 1,
        timestamp: 1,
        createdAt: SAMPLE_TIME,
        updatedAt: SAMPLE_TIME,
      },
    });
    const count = (applicationId: number) => db.session.count({ where: { applicationId } });
    const at = (minutes: number) => new Date(SAMPLE_TIME.getTime() + minutes * 60_000);
    await running.app.services.sessionClock.flush();
    await sweep(at(120), RETENTION);
    expect(await count(other.applicationId)).toBe(1);
    await sweep(at(122), RETENTION);
    expect(await count(other.applicationId)).toBe(0);
    expect((await look(kept)).status).toBe(200);
    await running.app.services.sessionClock.flush();
    await update({ sessionMinutes: 2_147_483_647 });
    await sweep(at(10_000), RETENTION);
    expect(await count(APPLICATION.id)).toBeGreaterThan(0);
    await update({ sessionMinutes: 1 });
    await sweep(at(10_000), RETENTION);
    expect(await count(APPLICATION.id)).toBe(0);
  });
});
