import { afterEach, describe, expect, test } from 'vitest';
import { acceptContact, withdrawContact } from '../../../src/resolvers/chat-contacts/change.ts';
import { APPLICATION, useApp } from '../../support/app/app.ts';
import { createTenant, startAnother } from '../../support/app/other-apps.ts';
import { sql } from '../../support/app/sql.ts';
import { closeSockets, connect, type LiveSubscription, listen } from '../../support/clients/websocket.ts';
import { errorOf, execute, type QuickUser, quickUsers } from '../../support/fixtures/chat.ts';
import { contextOf } from '../../support/fixtures/contexts.ts';
import { apiKey, type Caller, onBehalfOf } from '../../support/fixtures/users.ts';

useApp();

type Change = 'requestContact' | 'acceptContact' | 'rejectContact' | 'removeContact';

const FIELDS = '{ userId subscription requested pending }';
const CHANGED = `subscription ($since: String) { contactChanged(since: $since) { cursor contact ${FIELDS} } }`;
const mutation = (name: Change) => `mutation ($userId: Int!) { ${name}(userId: $userId) ${FIELDS} }`;

const change = async (name: Change, as: Caller, { id: userId }: { id: number }) =>
  (await execute(mutation(name), { userId }, as))[name];
const refused = (name: Change, as: Caller, userId: number) => errorOf(mutation(name), { userId }, as);
const listed = async (as: Caller) => (await execute(`{ chatContacts ${FIELDS} }`, {}, as)).chatContacts;
const contact = (
  { id: userId }: { id: number },
  subscription: string,
  open: 'requested' | 'pending' | 'none' = 'none',
) => ({
  userId,
  subscription,
  requested: open === 'requested',
  pending: open === 'pending',
});

afterEach(() => closeSockets());

describe('contacts', () => {
  test('a request that both accept makes both contacts, and each change reaches both in every process', async () => {
    const another = await startAnother();
    const [alice, bob, carol] = (await quickUsers(3)) as [QuickUser, QuickUser, QuickUser];
    const ofAlice = await listen(CHANGED, {}, alice, another);
    const ofBob = await listen(CHANGED, {}, bob);
    const ofCarol = await listen(CHANGED, {}, carol);
    const latest = async (received: LiveSubscription, count: number) =>
      (await received.atLeast(count)).at(-1).contactChanged.contact;

    expect(await change('requestContact', alice, bob)).toEqual(contact(bob, 'NONE', 'requested'));
    expect(await latest(ofAlice, 1)).toEqual(contact(bob, 'NONE', 'requested'));
    expect(await latest(ofBob, 1)).toEqual(contact(alice, 'NONE', 'pending'));
    expect(await change('requestContact', alice, bob)).toEqual(contact(bob, 'NONE', 'requested'));
    expect([await listed(alice), await listed(bob)]).toEqual([
      [contact(bob, 'NONE', 'requested')],
      [contact(alice, 'NONE', 'pending')],
    ]);

    const accepted = { userId: alice.id, subscription: 'FROM', requested: true, pending: false };
    expect(await change('acceptContact', bob, alice)).toEqual(accepted);
    expect(await latest(ofAlice, 2)).toEqual(contact(bob, 'TO', 'pending'));
    expect(await change('acceptContact', alice, bob)).toEqual(contact(bob, 'BOTH'));
    expect(await latest(ofBob, 3)).toEqual(contact(alice, 'BOTH'));
    expect(await change('requestContact', bob, alice)).toEqual(contact(alice, 'BOTH'));

    expect(await change('removeContact', bob, alice)).toEqual(contact(alice, 'NONE'));
    expect(await latest(ofAlice, 4)).toEqual(contact(bob, 'NONE'));
    expect([await listed(alice), await listed(bob)]).toEqual([[], []]);
    expect([ofAlice, ofBob, ofCarol].map((received) => received.payloads().length)).toEqual([4, 4, 0]);
    const since = ofAlice.payloads()[1].contactChanged.cursor;
    const again = await listen(CHANGED, { since }, alice);
    await again.atLeast(2);
    expect(again.payloads().map(({ contactChanged }) => contactChanged.cursor)).toEqual(
      ofAlice
        .payloads()
        .slice(2)
        .map(({ contactChanged }) => contactChanged.cursor),
    );
    await ofAlice.close();
    await another.stop();
  });

  test('a rejected request is gone, and what was accepted can be ended by each side alone', async () => {
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    await change('requestContact', alice, bob);
    expect(await change('rejectContact', bob, alice)).toEqual(contact(alice, 'NONE'));
    expect(await listed(alice)).toEqual([]);
    await change('requestContact', alice, bob);
    await acceptContact(alice.id, contextOf(bob), false);
    expect(await listed(alice)).toEqual([contact(bob, 'TO')]);
    expect(await change('requestContact', bob, alice)).toEqual({ ...contact(alice, 'FROM'), requested: true });
    await change('acceptContact', alice, bob);
    expect(await withdrawContact(bob.id, contextOf(alice))).toMatchObject({ subscription: 'from' });
    expect(await change('rejectContact', alice, bob)).toEqual(contact(bob, 'NONE'));
    await expect(withdrawContact(bob.id, contextOf(alice))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('every transport and an API key on behalf of the user give the same answers', async () => {
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    const socket = await connect(alice);
    const { data } = await socket.run(mutation('requestContact'), { userId: bob.id });
    expect(data.requestContact).toEqual(contact(bob, 'NONE', 'requested'));
    expect(await listed(onBehalfOf(alice))).toEqual(await listed(alice));
    expect(await change('removeContact', onBehalfOf(alice), bob)).toEqual(contact(bob, 'NONE'));
  });

  test('requests of both at the same time leave both requests', async () => {
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    await Promise.all(
      Array.from({ length: 10 }, (_, nth) =>
        nth % 2 ? change('requestContact', alice, bob) : change('requestContact', bob, alice),
      ),
    );
    const both = { subscription: 'NONE', requested: true, pending: true };
    expect([await listed(alice), await listed(bob)]).toEqual([
      [{ userId: bob.id, ...both }],
      [{ userId: alice.id, ...both }],
    ]);
  });
});

describe('bad input', () => {
  test('requests are refused for unknown users, oneself, blocked users and API keys alone', async () => {
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    const { users } = await createTenant(20);
    for (const name of ['requestContact', 'acceptContact', 'rejectContact', 'removeContact'] as const) {
      for (const id of [users.at(-1)!.id, 2_147_483_647, 0, -1])
        expect(await refused(name, alice, id)).toMatchObject({ code: 'NOT_FOUND' });
      expect(await refused(name, alice, alice.id)).toMatchObject({ code: 'UNPROCESSABLE' });
      expect(await refused(name, apiKey, bob.id)).toMatchObject({ code: 'FORBIDDEN' });
      if (name !== 'requestContact') expect(await refused(name, alice, bob.id)).toMatchObject({ code: 'NOT_FOUND' });
    }
    await execute(`mutation { blockUser(userId: ${bob.id}) { id } }`, {}, alice);
    expect(await refused('requestContact', bob, alice.id)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await refused('requestContact', alice, bob.id)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await listed(bob)).toEqual([]);
  });

  test('a user has at most 1,000 contacts, and they are deleted with a user', async () => {
    const [alice, bob, carol] = (await quickUsers(3)) as [QuickUser, QuickUser, QuickUser];
    await change('requestContact', carol, alice);
    await sql(
      `WITH made AS (INSERT INTO users (application_id, login, login_key, created_at, updated_at)
        SELECT $1, 'many' || n, 'many' || n, now(), now() FROM generate_series(1, 999) n RETURNING id)
      INSERT INTO chat_contacts SELECT $1, $2, id, true, now() FROM made`,
      [APPLICATION.id, alice.id],
    );
    const refusal = { message: 'A user may have at most 1000 contacts', code: 'UNPROCESSABLE' };
    expect(await refused('requestContact', alice, bob.id)).toEqual(refusal);
    expect(await refused('requestContact', bob, alice.id)).toEqual(refusal);
    expect(await change('acceptContact', alice, carol)).toMatchObject({ subscription: 'FROM' });
    expect(await listed(alice)).toHaveLength(1_000);
    await execute(`mutation { deleteUser(id: ${alice.id}) }`, {}, alice);
    expect(await listed(carol)).toEqual([]);
  });
});
