import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { type Atrium, createAtrium, memoryStorage, type Signal } from '../../packages/client/src/index.ts';
import { APPLICATION, running, useApp } from '../support/app/app.ts';
import { until } from '../support/app/until.ts';
import { execute } from '../support/fixtures/chat.ts';
import { apiKey, createUser, type TestUser } from '../support/fixtures/users.ts';

useApp();
beforeAll(() => execute('mutation { updateApplication(input: { publicSignIn: true }) { id } }', {}, apiKey));

async function signedIn(user: TestUser): Promise<Atrium> {
  const { url } = running;
  const atrium = createAtrium({
    url,
    applicationId: APPLICATION.id,
    webSocket: WebSocket,
    deviceStorage: memoryStorage(),
  });
  onTestFinished(() => atrium.close());
  await atrium.session.signIn(user);
  return atrium;
}

test('contacts follow requests of both users', async () => {
  const [alice, bob] = [await createUser(), await createUser()];
  const [ofAlice, ofBob] = [await signedIn(alice), await signedIn(bob)];
  const contacts = ofBob.people.contacts;
  onTestFinished(contacts.subscribe(() => {}));
  await ofAlice.people.request(bob.id);
  await until(() => contacts.get().some(({ userId, pending }) => userId === alice.id && pending));
  await ofBob.people.accept(alice.id);
  await ofAlice.people.accept(bob.id);
  await until(() => contacts.get()[0]?.subscription === 'BOTH');
  await ofAlice.people.remove(bob.id);
  await until(() => contacts.get().length === 0);
  await ofAlice.people.request(bob.id);
  await until(() => contacts.get().length === 1);
  await ofBob.people.reject(alice.id);
  await until(() => contacts.get().length === 0);
});

test('signals reach a listener until the sender is blocked', async () => {
  const [alice, bob] = [await createUser(), await createUser()];
  const [ofAlice, ofBob] = [await signedIn(alice), await signedIn(bob)];
  const received: Signal[] = [];
  const stop = ofBob.people.onSignal((signal) => received.push(signal));
  await until(async () => {
    await ofAlice.people.sendSignal({ userId: bob.id, kind: 'CALL', text: 'ring', payload: { n: 1 } });
    return received.length > 0;
  });
  expect(received[0]).toMatchObject({ kind: 'CALL', senderId: alice.id, text: 'ring', payload: { n: 1 } });
  stop();
  await ofBob.people.block(alice.id, { mutual: false });
  expect(await ofBob.people.blocked()).toEqual([{ userId: alice.id, mutual: false }]);
  const refused = ofAlice.people.sendSignal({ userId: bob.id, kind: 'CALL', text: 'ring' });
  await expect(refused).rejects.toMatchObject({ code: 'FORBIDDEN', reason: 'BLOCKED' });
  await ofBob.people.unblock(alice.id);
  await ofAlice.people.sendSignal({ userId: bob.id, kind: 'CALL', text: 'ring' });
});

test('a user who stops typing is no longer shown', async () => {
  const [alice, bob] = [await createUser(), await createUser()];
  const [ofAlice, ofBob] = [await signedIn(alice), await signedIn(bob)];
  const { id } = await ofAlice.chat.openPrivate(bob.id);
  const { typingIds } = ofBob.chat.dialog(id);
  onTestFinished(typingIds.subscribe(() => {}));
  await ofAlice.chat.dialog(id).stopTyping();
  await until(async () => {
    await execute('mutation ($id: ID!) { startTyping(dialogId: $id) }', { id }, alice);
    return typingIds.get().includes(alice.id);
  });
  await ofAlice.chat.dialog(id).typing();
  await ofAlice.chat.dialog(id).stopTyping();
  await until(() => typingIds.get().length === 0);
});
