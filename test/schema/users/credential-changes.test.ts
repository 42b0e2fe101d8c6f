import { afterEach, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { clock, useApp } from '../../support/app/app.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { rest } from '../../support/clients/rest.ts';
import { codeOf, GRAPHQL_TRANSPORTS } from '../../support/clients/transports.ts';
import { closeSockets } from '../../support/clients/websocket.ts';
import { errorOf, execute } from '../../support/fixtures/chat.ts';
import { mailsTo } from '../../support/fixtures/mails.ts';
import {
  apiKey,
  type Caller,
  createUser,
  onBehalfOf,
  openSession,
  type TestUser,
} from '../../support/fixtures/users.ts';

useApp();

const CHANGE = 'mutation ($id: Int!, $input: UpdateUserInput!) { updateUser(id: $id, input: $input) { id } }';
const MINUTE = 60_000;

afterEach(async () => {
  clock.reset();
  await closeSockets();
});

let number = 0;
const createMailed = () => createUser({ email: `changes${++number}@x.io` });
const addressOf = (nth = number) => `changes${nth}@x.io`;

const NEEDED = {
  message: 'Old password is needed, or a sign-in within the last 10 minutes',
  code: 'UNPROCESSABLE',
  fields: { oldPassword: ['is needed, or a sign-in within the last 10 minutes'] },
};

describe('e-mail, phone and login over GraphQL', () => {
  test('the fields change without a password within 10 minutes of a sign-in, and with the old password later', async () => {
    for (const [nth, [, run]] of GRAPHQL_TRANSPORTS.entries()) {
      const user = await createMailed();
      const change = (input: object) => run(CHANGE, { id: user.id, input }, user);
      clock.advance(9 * MINUTE);
      expect(codeOf(await change({ phone: '12345' }))).toBe('served');
      clock.advance(1 * MINUTE);
      const inputs = [{ email: `moved${nth}@x.io` }, { phone: '54321' }, { phone: null }, { login: `moved${nth}` }];
      for (const input of inputs) {
        expect((await change(input)).errors).toMatchObject([{ extensions: { fields: NEEDED.fields } }]);
        expect((await change({ ...input, oldPassword: 'password-9' })).errors).toMatchObject([
          { extensions: { fields: { oldPassword: ['is invalid'] } } },
        ]);
      }
      expect(codeOf(await change({ fullName: 'Any', login: user.login, email: addressOf() }))).toBe('served');
      for (const input of inputs) expect(codeOf(await change({ ...input, oldPassword: user.password }))).toBe('served');
      clock.reset();
    }
  });

  test('a login with the same token counts as a sign-in', async () => {
    const user = await createMailed();
    clock.advance(11 * MINUTE);
    const input = { phone: '12345' };
    expect(await errorOf(CHANGE, { id: user.id, input }, user)).toEqual(NEEDED);
    const json = { login: user.login, password: user.password };
    expect((await rest('POST', '/login', { as: user, json })).status).toBe(200);
    expect(codeOf(await graphql(CHANGE, { id: user.id, input }, user))).toBe('served');
  });

  test('a user without a password needs a recent sign-in, also for their first password', async () => {
    const user = await createMailed();
    await db.user.updateMany({ where: { id: user.id }, data: { passwordHash: null } });
    clock.advance(10 * MINUTE);
    for (const input of [
      { phone: '12345' },
      { password: 'password-2' },
      { phone: '1234', oldPassword: 'password-1' },
    ]) {
      expect(await errorOf(CHANGE, { id: user.id, input }, user)).toEqual(NEEDED);
    }
    clock.reset();
    expect(codeOf(await graphql(CHANGE, { id: user.id, input: { password: 'password-2' } }, user))).toBe('served');
  });

  test('an API key needs no password, alone and on behalf of a user', async () => {
    const user = await createMailed();
    clock.advance(60 * MINUTE);
    for (const [nth, as] of [apiKey, onBehalfOf(user)].entries()) {
      const input = { email: `by-key${nth}@x.io`, phone: `1234${nth}` };
      expect(codeOf(await graphql(CHANGE, { id: user.id, input }, as))).toBe('served');
    }
  });
});

describe('e-mail, phone and login over REST', () => {
  const put = (as: Caller, id: number, user: object) => rest('PUT', `/users/${id}`, { as, json: { user } });

  test('the fields change with any session unless the application is strict', async () => {
    const user = await createMailed();
    clock.advance(60 * MINUTE);
    expect(
      (await put(user, user.id, { phone: '12345', login: `rest${number}`, old_password: 'wrong-one' })).status,
    ).toBe(200);
    const set = (isOn: boolean) =>
      execute(`mutation { updateApplication(input: { strictCredentialChanges: ${isOn} }) { id } }`, {}, apiKey);
    await set(true);
    const refused = await put(user, user.id, { phone: '54321' });
    const text = 'is needed, or a sign-in within the last 10 minutes';
    expect([refused.status, refused.body]).toEqual([
      422,
      { errors: { old_password: [text], base: [`Old password ${text}`] } },
    ]);
    expect((await put(user, user.id, { phone: '54321', old_password: user.password })).status).toBe(200);
    expect((await put(user, user.id, { full_name: 'N' })).status).toBe(200);
    await set(false);
    expect((await put(user, user.id, { phone: '12345' })).status).toBe(200);
  });
});

describe('mails to the previous address', () => {
  const changes: [name: string, input: object, line: string][] = [
    ['e-mail', { email: 'elsewhere@x.io' }, '- e-mail address'],
    ['no e-mail', { email: null }, '- e-mail address'],
    ['phone', { phone: '12345' }, '- phone number'],
    ['login', { login: 'another-login' }, '- login'],
  ];

  test.each(changes)(
    'the previous address receives a mail about a changed %s, over every transport',
    async (_name, input, line) => {
      const transports = [...GRAPHQL_TRANSPORTS.map(([, run]) => run), undefined];
      for (const run of transports) {
        const user = await createMailed();
        const answer = run
          ? codeOf(await run(CHANGE, { id: user.id, input }, user))
          : (await rest('PUT', `/users/${user.id}`, { as: user, json: { user: input } })).status;
        expect(['served', 200]).toContain(answer);
        const [mail, ...more] = await mailsTo(addressOf());
        expect(more).toEqual([]);
        expect(mail).toContain('Subject: Your account was changed');
        expect(mail).toContain(`\r\n${line}\r\n`);
        await rest('DELETE', `/users/${user.id}`, { as: apiKey });
      }
    },
  );

  test('the previous address receives no mail about unchanged or other fields, or changes by an API key alone', async () => {
    const user = await createMailed();
    const same = { email: addressOf().toUpperCase(), login: user.login, fullName: 'N', password: 'password-2' };
    await execute(CHANGE, { id: user.id, input: { ...same, oldPassword: user.password } }, user);
    await execute(CHANGE, { id: user.id, input: { phone: '12345' } }, apiKey);
    expect(await mailsTo(addressOf())).toEqual([]);
  });
});

describe('devices after a password change', () => {
  const subscribe = (as: Caller, udid: string) =>
    execute(
      `mutation ($device: DeviceInput!, $token: PushTokenInput!) {
        createPushToken(input: { token: $token, device: $device }) { id }
        createSubscription(input: { channels: ["gcm", "email"], token: $token, device: $device }) { id }
      }`,
      {
        device: { platform: 'android', udid },
        token: { environment: 'development', clientIdentificationSequence: udid },
      },
      as,
    );
  const devicesOf = async ({ id: userId }: TestUser) => {
    const where = { userId, udid: { not: '' } };
    const tokens = await db.pushToken.findMany({ where, orderBy: { udid: 'asc' } });
    const subscriptions = await db.pushSubscription.findMany({ where, orderBy: [{ channel: 'asc' }, { udid: 'asc' }] });
    return {
      tokens: tokens.map(({ udid }) => udid),
      pushes: subscriptions.filter(({ channel }) => channel === 'gcm').map(({ udid }) => udid),
    };
  };

  test('a new password removes the devices of all sessions except the one that sets it', async () => {
    const user = await createMailed();
    await subscribe(user, `own${number}`);
    await subscribe(await openSession(user), `other${number}`);
    await subscribe(onBehalfOf(user), `key${number}`);
    const input = { password: 'password-2', oldPassword: user.password };
    await execute(CHANGE, { id: user.id, input }, user);
    expect(await devicesOf(user)).toEqual({ tokens: [`own${number}`], pushes: [`own${number}`] });
    await execute(CHANGE, { id: user.id, input: { password: 'password-3' } }, apiKey);
    expect(await devicesOf(user)).toEqual({ tokens: [], pushes: [] });
  });
});
