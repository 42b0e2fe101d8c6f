import { describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { APPLICATION, clock, running, useApp } from '../../support/app/app.ts';
import { createTenant } from '../../support/app/other-apps.ts';
import { graphql } from '../../support/clients/graphql.ts';
import {
  errorIn,
  fromConsole,
  inConsole,
  PASSWORD,
  signedInAdministrator,
  withoutApplication,
  withReason,
} from '../../support/fixtures/administrators.ts';
import { createDialog, errorOf, execute } from '../../support/fixtures/chat.ts';
import { apiKey, type Caller, createUser, onBehalfOf, openSession } from '../../support/fixtures/users.ts';

useApp();

const MINUTE = 60_000;

/** Entries of the application since the last call, oldest first, without what every entry has. */
async function newEntries(applicationId = APPLICATION.id) {
  const id = { gt: latest.get(applicationId) ?? 0n };
  const entries = await db.auditEntry.findMany({ where: { applicationId, id }, orderBy: { id: 'asc' } });
  latest.set(applicationId, entries.at(-1)?.id ?? id.gt);
  return entries.map(({ actorKind, actorId, action, subject, subjectId, before, after, reason }) => ({
    actor: [actorKind, actorId],
    change: `${action} ${subject} ${subjectId}`,
    before,
    after,
    reason,
  }));
}
const latest = new Map<number, bigint>();

const KEY = ['apiKey', expect.any(Number)];
const asKey = (change: unknown, values: object = {}) =>
  expect.objectContaining({ actor: KEY, change, ...values }) as object;

describe('changes by an API key', () => {
  test('each change has one entry, with the values before and after, and without secrets', async () => {
    await newEntries();
    const user = await createUser({ full_name: 'Ada' });
    const [created] = await newEntries();
    expect(created).toMatchObject({
      actor: KEY,
      change: `create User ${user.id}`,
      before: null,
      after: { full_name: 'Ada', password_hash: 'redacted', email: null },
    });
    const update = 'mutation ($id: Int!, $input: UpdateUserInput!) { updateUser(id: $id, input: $input) { id } }';
    await execute(update, { id: user.id, input: { fullName: 'Ada Lovelace', website: 'https://ada.example' } }, apiKey);
    expect(await newEntries()).toEqual([
      asKey(`update User ${user.id}`, {
        before: { full_name: 'Ada', website: null },
        after: { full_name: 'Ada Lovelace', website: 'https://ada.example' },
      }),
    ]);
    await execute('mutation ($id: Int!) { deleteUser(id: $id) }', { id: user.id }, apiKey);
    const deleted = await newEntries();
    expect(deleted.map(({ change }) => change)).toContain(`delete User ${user.id}`);
    expect(deleted.at(-1)).toMatchObject({
      before: { full_name: 'Ada Lovelace', password_hash: 'redacted' },
      after: null,
    });
  });

  test('an entry has the address of the client and the time', async () => {
    await createUser();
    const [entry] = await db.auditEntry.findMany({ orderBy: { id: 'desc' }, take: 1 });
    expect(entry).toMatchObject({ network: '127.0.0.1' });
    expect(Math.abs(entry!.at.getTime() - Date.now())).toBeLessThan(60_000);
  });

  test('changes on behalf of a user have entries, without the texts of messages', async () => {
    const [sender, other] = [await createUser(), await createUser()];
    const dialogId = await createDialog(onBehalfOf(sender), [other]);
    await newEntries();
    const send = 'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { id } }';
    const sent = (text: string, as: Caller) => execute(send, { input: { dialogId, text } }, as);
    const messages = await Promise.all(
      ['one', 'two', 'three'].flatMap((text) => [sent(text, onBehalfOf(sender)), sent(text, sender)]),
    );
    expect(messages).toHaveLength(6);
    const entries = await newEntries();
    expect(entries).toHaveLength(3);
    for (const entry of entries) {
      expect(entry).toMatchObject({
        actor: KEY,
        after: { text: 'redacted', sender_id: sender.id, dialog_id: dialogId },
      });
    }
  });

  test('changes that several keys and users send at once are recorded for the right key', async () => {
    const [user, other] = [await createUser(), await createUser()];
    const dialogId = await createDialog(user, [other]);
    await execute(
      'mutation { createClass(input: { name: "Labels", fields: [{ name: "text", type: STRING }] }) { id } }',
      {},
      apiKey,
    );
    const keys: { actorId: number; caller: Caller }[] = [];
    for (const name of ['one', 'two']) {
      const { createApiKey } = await execute(
        'mutation ($name: String!) { createApiKey(name: $name) { id key } }',
        { name },
        apiKey,
      );
      const headers = { Authorization: `ApiKey ${createApiKey.key}`, 'On-Behalf-Of': String(user.id) };
      keys.push({ actorId: createApiKey.id, caller: { headers } });
    }
    await newEntries();
    const change = `mutation ($input: SendMessageInput!, $fields: JSON) {
      sendMessage(input: $input) { id } createRecord(input: { className: "Labels", fields: $fields }) { id } }`;
    const sent = await Promise.all(
      Array.from({ length: 12 }, async (_, index) => {
        const { actorId, caller } = keys[index % 3] ?? { actorId: null, caller: user };
        const text = `text ${index}`;
        const made = await execute(change, { input: { dialogId, text }, fields: { text } }, caller);
        return { actorId, ids: [made.sendMessage.id, made.createRecord.id] };
      }),
    );
    const entries = await newEntries();
    const recorded = entries.map(({ actor: [, id], change }) => `${id} ${change.split(' ').at(-1)}`).sort();
    const expected = sent.flatMap(({ actorId, ids }) => (actorId === null ? [] : ids.map((id) => `${actorId} ${id}`)));
    expect(recorded).toEqual(expected.sort());
  });

  test('changes by an API key are audited while users change records', async () => {
    await execute(
      'mutation { createClass(input: { name: "Notes", fields: [{ name: "text", type: STRING }] }) { id } }',
      {},
      apiKey,
    );
    const user = await createUser();
    await newEntries();
    const create = (text: string, as: Caller) =>
      execute(
        'mutation ($fields: JSON) { createRecord(input: { className: "Notes", fields: $fields }) { id } }',
        { fields: { text } },
        as,
      );
    const [mine] = await Promise.all([create('a', apiKey), create('b', user), create('c', user)]);
    const { id } = mine.createRecord;
    expect(await newEntries()).toEqual([
      asKey(`create Record ${id}`, { after: expect.objectContaining({ fields: { text: 'a' } }) }),
    ]);
    await execute(
      'mutation ($id: ID!, $fields: JSON) { updateRecord(className: "Notes", id: $id, input: { fields: $fields }) { id } }',
      { id, fields: { text: 'z' } },
      apiKey,
    );
    expect(await newEntries()).toEqual([
      asKey(`update Record ${id}`, { before: { fields: { text: 'a' } }, after: { fields: { text: 'z' } } }),
    ]);
    await execute('mutation ($id: ID!) { deleteRecord(className: "Notes", id: $id) }', { id }, apiKey);
    expect(await newEntries()).toEqual([asKey(`delete Record ${id}`)]);
  });

  test('changes of settings have entries without the secrets', async () => {
    await newEntries();
    await execute('mutation { updateApplication(input: { aiDailyTokens: 7 }) { id } }', {}, apiKey);
    await execute('mutation { createApiKey(name: "second") { id } }', {}, apiKey);
    await execute(
      'mutation { updateIdentityProvider(input: { facebook: { appId: "7", appSecret: "SECRET-1" } }) { provider } }',
      {},
      apiKey,
    );
    await execute(
      'mutation { createAssistant(input: { name: "A", baseUrl: "https://93.184.216.34/v1", model: "m", apiKey: "SECRET-2" }) { id } }',
      {},
      apiKey,
    );
    const entries = await newEntries();
    expect(entries).toEqual([
      asKey(`update Application ${APPLICATION.id}`, {
        before: { ai_daily_tokens: 200_000 },
        after: { ai_daily_tokens: 7 },
      }),
      asKey(expect.stringMatching(/^create ApiKey \d+$/), {
        after: expect.objectContaining({ name: 'second', key_hash: 'redacted' }),
      }),
      asKey('create IdentityProvider facebook'),
      asKey(expect.stringMatching(/^create Assistant /), {
        after: expect.objectContaining({ sealed_api_key: 'redacted' }),
      }),
    ]);
    expect(JSON.stringify(entries)).not.toContain('SECRET');
  });

  test('failed changes have no entries', async () => {
    const [one, other] = [await createUser(), await createUser()];
    await newEntries();
    await errorOf(
      'mutation ($id: Int!, $login: String) { updateUser(id: $id, input: { login: $login }) { id } }',
      { id: one.id, login: other.login },
      apiKey,
    );
    expect(await newEntries()).toEqual([]);
  });

  test('the deletion of a dialog has one entry, not one for each occupant', async () => {
    const [owner, ...others] = [await createUser(), await createUser(), await createUser()];
    const dialogId = await createDialog(owner!, others);
    await newEntries();
    await execute(
      'mutation ($ids: [ID!]!) { deleteDialogs(ids: $ids, force: true) { deletedIds } }',
      { ids: [dialogId] },
      apiKey,
    );
    expect(await newEntries()).toEqual([asKey(`delete Dialog ${dialogId}`)]);
  });
});

test('changes of users and their sessions have no entries', async () => {
  const [user, other] = [await createUser(), await createUser()];
  await newEntries();
  await openSession(user);
  await execute(
    'mutation ($id: Int!) { updateUser(id: $id, input: { fullName: "Me" }) { id } }',
    { id: user.id },
    user,
  );
  await createDialog(user, [other]);
  expect(await newEntries()).toEqual([]);
});

describe('administrators', () => {
  test('are named in the entries of their changes, with the reason they state', async () => {
    const user = await createUser();
    const administrator = await signedInAdministrator('support');
    await newEntries();
    const as = withReason(administrator, 'ticket 42');
    await execute('mutation ($id: Int!) { blockUser(userId: $id) { id } }', { id: user.id }, as);
    const entries = await newEntries();
    expect(entries.map(({ change }) => change)).toEqual([
      `update User ${user.id}`,
      expect.stringMatching(/^delete Session/),
    ]);
    for (const { actor, reason } of entries)
      expect([actor, reason]).toEqual([['administrator', administrator.id], 'ticket 42']);
  });

  test('who act as a user are named instead of the user', async () => {
    const [user, other] = [await createUser(), await createUser()];
    const administrator = await signedInAdministrator('owner');
    await newEntries();
    const { headers } = withReason(administrator);
    const as = { headers: { ...headers, 'On-Behalf-Of': String(user.id) } };
    const dialogId = await createDialog(as, [other]);
    const entries = await newEntries();
    expect(entries.map(({ change }) => change)).toContain(`create Dialog ${dialogId}`);
    for (const { actor } of entries) expect(actor).toEqual(['administrator', administrator.id]);
  });

  test('who change other administrators have entries outside of all applications', async () => {
    const owner = await signedInAdministrator({ applicationId: null, role: 'owner' });
    const other = await signedInAdministrator('viewer');
    await newEntries(0);
    const update = `mutation ($id: Int!) { updateAdministrator(id: $id, input: { roles: [{ role: DEVELOPER }] }) { id } }`;
    await execute(update, { id: other.id }, withoutApplication(owner));
    expect((await newEntries(0)).map(({ actor, change }) => [actor, change])).toEqual([
      [['administrator', owner.id], `delete AdministratorRole ${other.id}/${APPLICATION.id}/viewer`],
      [['administrator', owner.id], `create AdministratorRole ${other.id}/developer`],
    ]);
  });

  test('who read messages have an entry with their reason, repeated after ten minutes', async () => {
    const [user, other] = [await createUser(), await createUser()];
    const dialogId = await createDialog(user, [other]);
    const administrator = await signedInAdministrator('support');
    await newEntries();
    const read = () =>
      execute(
        'query ($id: ID!) { dialog(id: $id) { id } }',
        { id: dialogId },
        withReason(administrator, 'abuse report 9'),
      );
    for (let times = 0; times < 3; times++) await read();
    expect(await newEntries()).toEqual([
      {
        actor: ['administrator', administrator.id],
        change: `read dialog ${dialogId}`,
        reason: 'abuse report 9',
        before: null,
        after: null,
      },
    ]);
    clock.advance(11 * MINUTE);
    await read();
    expect(await newEntries()).toHaveLength(1);
  });

  test('who look at the application as a user have an entry', async () => {
    const user = await createUser();
    const administrator = await signedInAdministrator('owner');
    await newEntries();
    const as = { headers: { ...administrator.headers, 'On-Behalf-Of': String(user.id) } };
    await execute('{ me { id } }', {}, as);
    expect(await newEntries()).toEqual([
      {
        actor: ['administrator', administrator.id],
        change: 'read me ',
        reason: null,
        before: null,
        after: { as_user_id: user.id },
      },
    ]);
  });
});

describe('auditEntries', () => {
  const LIST = `query ($filter: AuditFilter, $first: Int, $after: String) {
    auditEntries(filter: $filter, first: $first, after: $after) {
      edges { node { id actorKind actorId action subject subjectId description before after at network reason } }
      pageInfo { hasNextPage endCursor }
    }
  }`;
  // biome-ignore lint/suspicious/noExplicitAny: rows of the answer
  const list = async (variables: object, as: Caller): Promise<any[]> =>
    (await execute(LIST, { ...variables }, as)).auditEntries.edges.map(({ node }: { node: object }) => node);

  test('describes what a read operation does', async () => {
    const support = withReason(await signedInAdministrator('support'), 'ticket 8');
    await execute('{ dialogs { edges { node { id } } } }', {}, support);
    const [read] = await list({ filter: { action: 'READ', subject: 'dialogs' } }, await signedInAdministrator('owner'));
    expect(read).toMatchObject({ description: "The caller's dialogs that are not hidden, and all public groups" });
  });

  test('lists entries newest first, selected by actor, object, action and time', async () => {
    const owner = await signedInAdministrator('owner');
    const [first, second] = [await createUser(), await createUser()];
    await execute('mutation ($id: Int!) { blockUser(userId: $id) { id } }', { id: first.id }, owner);
    const subjects = (entries: { action: string; subject: string; subjectId: string }[]) =>
      entries.map(({ action, subject, subjectId }) => `${action} ${subject} ${subjectId}`);
    const ofFirst = { subject: 'User', subjectId: String(first.id) };
    const [blocked] = await list({ filter: ofFirst }, owner);
    expect(await list({ filter: { id: blocked.id } }, owner)).toEqual([blocked]);
    for (const id of ['0', 'x', '9'.repeat(30)]) expect(await list({ filter: { id } }, owner)).toEqual([]);
    expect(subjects(await list({ filter: ofFirst }, owner))).toEqual([
      `UPDATE User ${first.id}`,
      `CREATE User ${first.id}`,
    ]);
    expect(subjects(await list({ filter: { ...ofFirst, action: 'CREATE' } }, owner))).toEqual([
      `CREATE User ${first.id}`,
    ]);
    const mine = { actorKind: 'ADMINISTRATOR', actorId: owner.id };
    expect(subjects(await list({ filter: { ...mine, ...ofFirst } }, owner))).toEqual([`UPDATE User ${first.id}`]);
    const [newest] = await list({ filter: { subject: 'User', action: 'CREATE' }, first: 1 }, owner);
    expect(newest.subjectId).toBe(String(second.id));
    expect(await list({ filter: { from: new Date(Date.now() + MINUTE).toISOString() } }, owner)).toEqual([]);
    expect(await list({ filter: { to: new Date(Date.now() - 60 * MINUTE).toISOString() } }, owner)).toEqual([]);
  });

  test('is paged without gaps or repetitions', async () => {
    const owner = await signedInAdministrator('owner');
    const all = (await list({ first: 100 }, owner)).map(({ id }) => id);
    const paged: string[] = [];
    for (let after: string | null = null; ; ) {
      // biome-ignore lint/suspicious/noExplicitAny: rows of the answer
      const { edges, pageInfo }: any = (await execute(LIST, { first: 7, after }, owner)).auditEntries;
      paged.push(...edges.map(({ node }: { node: { id: string } }) => node.id));
      if (!pageInfo.hasNextPage || paged.length >= 100) break;
      after = pageInfo.endCursor;
    }
    expect(paged.slice(0, all.length)).toEqual(all);
    expect(all).toEqual([...all].sort((one, other) => Number(other) - Number(one)));
  });

  test.each([
    [{ filter: { actorId: 7 } }, 'actorId requires actorKind'],
    [{ filter: { subjectId: '7' } }, 'subjectId requires subject'],
    [{ after: Buffer.from('["x","1"]').toString('base64url') }, 'Invalid cursor'],
    [{ after: Buffer.from('["1; DROP","1; DROP"]').toString('base64url') }, 'Invalid cursor'],
    [{ first: 101 }, 'first should be between 1 and 100'],
  ])('refuses %j', async (variables, message) => {
    const owner = await signedInAdministrator('owner');
    expect(await errorOf(LIST, variables, owner)).toMatchObject({ message, code: 'BAD_USER_INPUT' });
  });

  test('is available to owners only, and to API keys not at all', async () => {
    for (const role of ['developer', 'support', 'viewer'] as const) {
      expect(errorIn(await graphql(LIST, {}, await signedInAdministrator(role)))).toMatchObject({ code: 'FORBIDDEN' });
    }
    expect(errorIn(await graphql(LIST, {}, apiKey))).toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  test('shows an application only to its owners, and administrators only to owners of all applications', async () => {
    const other = await createTenant(0);
    const owner = await signedInAdministrator('owner');
    expect(errorIn(await graphql(LIST, {}, inConsole(owner.cookie, other.applicationId)))).toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(errorIn(await graphql(LIST, {}, withoutApplication(owner)))).toMatchObject({ code: 'FORBIDDEN' });
    const ofAll = await signedInAdministrator({ applicationId: null, role: 'owner' });
    const invite = 'mutation ($input: InviteAdministratorInput!) { inviteAdministrator(input: $input) { url } }';
    const accept = `mutation ($token: String!) {
      acceptAdministratorLink(token: $token, input: { password: "${PASSWORD}" }) { id }
    }`;
    const input = { email: `x${running.now().getTime()}@example.com`, name: 'X', roles: [{ role: 'VIEWER' }] };
    const { url } = (await execute(invite, { input }, withoutApplication(ofAll))).inviteAdministrator;
    const accepted = await fromConsole(accept, { token: url.split('#')[1] });
    const entries = await list({}, withoutApplication(ofAll));
    expect(entries.map(({ subject }) => subject)).toEqual(
      expect.arrayContaining(['Administrator', 'AdministratorRole', 'AdministratorLink']),
    );
    const { id } = accepted.data.acceptAdministratorLink;
    const ofNew = entries.filter(({ actorId }) => actorId === id).map(({ action, subject }) => `${action} ${subject}`);
    expect(ofNew).toEqual(
      expect.arrayContaining(['CREATE Administrator', 'CREATE AdministratorRole', 'DELETE AdministratorLink']),
    );
    expect(JSON.stringify(await list({}, owner))).not.toContain(input.email);
  });
});
