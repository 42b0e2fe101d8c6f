import { once } from 'node:events';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import {
  type Atrium,
  type AtriumOptions,
  createAtrium,
  type DeviceStorage,
  type Live,
  memoryStorage,
  type SentMessage,
  type StoredSession,
  type ThreadState,
} from '../../packages/client/src/index.ts';
import { APPLICATION, running, useApp } from '../support/app/app.ts';
import { FaultProxy } from '../support/faults/fault-proxy.ts';
import { execute } from '../support/fixtures/chat.ts';
import { apiKey, createUser, type TestUser } from '../support/fixtures/users.ts';

useApp();
beforeAll(() => execute('mutation { updateApplication(input: { publicSignIn: true }) { id } }', {}, apiKey));

function newAtrium(options: Partial<AtriumOptions> = {}): Atrium {
  const atrium = createAtrium({
    url: running.url,
    applicationId: APPLICATION.id,
    webSocket: WebSocket,
    deviceStorage: memoryStorage(),
    ...options,
  });
  onTestFinished(() => atrium.close());
  return atrium;
}

async function signedIn(
  user?: TestUser,
  options: Partial<AtriumOptions> = {},
): Promise<{ atrium: Atrium; id: number }> {
  const atrium = newAtrium(options);
  const { id } = await atrium.session.signIn(user ?? (await createUser()));
  return { atrium, id };
}

/** Waits until the value satisfies `isRight`. */
function until<Value>(live: Live<Value>, isRight: (value: Value) => unknown): Promise<Value> {
  return new Promise((resolve) => {
    const look = () => {
      if (!isRight(live.get())) return;
      queueMicrotask(() => stop());
      resolve(live.get());
    };
    const stop = live.subscribe(look);
    onTestFinished(stop);
    look();
  });
}

/** Keeps the next response to an operation: `arrived` resolves when the service has answered. */
class HeldResponse {
  #operation: string | undefined;
  readonly #arrived = new EventTarget();
  #release = () => {};

  readonly fetch: typeof fetch = async (...request) => {
    const response = await fetch(...request);
    const { query } = JSON.parse(String(request[1]?.body)) as { query: string };
    if (!this.#operation || !query.replace(/^(query|mutation) /, '').startsWith(this.#operation)) return response;
    this.#operation = undefined;
    await new Promise<void>((resolve) => {
      this.#release = resolve;
      this.#arrived.dispatchEvent(new Event('arrived'));
    });
    return response;
  };

  hold(operation: string): Promise<unknown> {
    this.#operation = operation;
    return once(this.#arrived, 'arrived');
  }

  release(): void {
    this.#release();
  }
}

const texts = ({ messages }: ThreadState) => messages.map(({ text, state }) => `${text} ${state}`);

async function pair(options: Partial<AtriumOptions> = {}) {
  const [alice, bob] = [await signedIn(undefined, options), await signedIn()];
  const { id } = await alice.atrium.chat.openPrivate(bob.id);
  return { alice, bob, id };
}

describe('session', () => {
  test('signUp creates a user with the id of the application alone, and signOut removes everything from the device', async () => {
    const deviceStorage = memoryStorage();
    const atrium = newAtrium({ deviceStorage });
    const states: string[] = [];
    atrium.session.watch(({ status }) => states.push(status));
    await expect(atrium.session.signUp({ login: 'ann', password: 'short' })).rejects.toMatchObject({
      code: 'UNPROCESSABLE',
      fields: { password: [expect.any(String)] },
    });
    const user = await atrium.session.signUp({ login: 'ann', password: 'correct-horse', fullName: 'Ann' });
    expect(user).toMatchObject({ id: expect.any(Number), name: 'Ann', login: 'ann' });
    expect(atrium.session.user).toEqual(user);
    await until(atrium.chat.list, ({ status, isStale }) => status === 'ready' && !isStale);
    await atrium.session.signOut();
    expect(atrium.session.user).toBeUndefined();
    expect(await deviceStorage.all('cache')).toEqual([]);
    expect(states).toEqual(['restoring', 'signedOut', 'signedIn', 'signedOut']);
    await expect(atrium.session.signIn({ login: 'ann', password: 'wrong-horse' })).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
    });
  });

  test('restore returns the user of the last visit without network', async () => {
    const between = await FaultProxy.start(running.url);
    const kept: { session?: StoredSession } = {};
    const options = {
      url: between.url,
      deviceStorage: memoryStorage(),
      storage: {
        load: () => kept.session,
        save: (session: StoredSession | undefined) => {
          kept.session = session;
        },
      },
    };
    const { atrium, id } = await signedIn(undefined, options);
    const dialog = await atrium.chat.createGroup('Lunch', []);
    await atrium.chat.dialog(dialog.id).send('Soup?');
    await until(atrium.chat.list, ({ dialogs }) => dialogs[0]?.lastMessage?.text === 'Soup?');
    await until(atrium.chat.dialog(dialog.id).thread, ({ messages }) => messages.length === 1);
    await expect.poll(() => options.deviceStorage.all('cache')).toHaveLength(3);
    atrium.close();
    await between.close();
    // As a client stored them that did not check the JSON of other users.
    const { deviceStorage } = options;
    const get: DeviceStorage['get'] = async (store, key) => {
      const value = await deviceStorage.get(store, key);
      if (key !== `thread:${id}:${dialog.id}`) return value;
      const unchecked = { attachments: [{ type: 'file', name: { a: 1 } }], customFields: 5 };
      return (value as SentMessage[]).map((message) => ({ ...message, ...unchecked }));
    };

    const later = newAtrium({ ...options, deviceStorage: { ...deviceStorage, get } });
    expect((await later.session.restore())?.id).toBe(id);
    const list = await until(later.chat.list, ({ status }) => status === 'ready');
    expect(list).toMatchObject({ isStale: true, dialogs: [{ name: 'Lunch' }] });
    const thread = await until(later.chat.dialog(dialog.id).thread, ({ status }) => status === 'ready');
    expect(thread).toMatchObject({ isStale: true, messages: [{ text: 'Soup?', customFields: {} }] });
    expect(thread.messages[0]!.attachments).toEqual([{ type: 'file' }]);
  });
});

describe('chat', () => {
  test('dialog.send shows a message at once and under the same key when it is stored', async () => {
    const { alice, bob, id } = await pair();
    const mine = alice.atrium.chat.dialog(id);
    const seen: string[][] = [];
    const keys = new Set<string>();
    onTestFinished(
      mine.watch((state) => {
        seen.push(texts(state));
        for (const { key } of state.messages) keys.add(key);
      }),
    );
    await until(mine.thread, ({ status }) => status === 'ready');
    const theirs = until(bob.atrium.chat.dialog(id).thread, ({ messages }) => messages.length === 1);
    const sent = await mine.send('Lunch?');
    expect(sent).toMatchObject({ text: 'Lunch?', senderId: alice.id, dialogId: id });
    expect((await theirs).messages).toMatchObject([{ id: sent.id, text: 'Lunch?', state: 'sent' }]);
    await until(mine.thread, (state) => texts(state)[0] === 'Lunch? sent');
    expect(seen).toContainEqual(['Lunch? pending']);
    expect(keys.size).toBe(1);
    expect(seen.every((list) => list.length <= 1)).toBe(true);
  });

  test('messages of an outage are sent in order, once each, when the service returns', async () => {
    const between = await FaultProxy.start(running.url);
    onTestFinished(() => between.close());
    const alice = await signedIn(undefined, { url: between.url });
    const dialog = await alice.atrium.chat.createGroup('Tunnel', []);
    const handle = alice.atrium.chat.dialog(dialog.id);
    await until(handle.thread, ({ status }) => status === 'ready');
    between.target = 'http://127.0.0.1:1';
    between.cut();
    const sends = ['one', 'two', 'three'].map((text) => handle.send(text));
    expect(texts(handle.thread.get())).toEqual(['one pending', 'two pending', 'three pending']);
    await expect.poll(() => alice.atrium.chat.outbox.get()[0]?.attempts ?? 0).toBeGreaterThan(1);
    between.target = running.url;
    const stored = await Promise.all(sends);
    expect(stored.map(({ text }) => text)).toEqual(['one', 'two', 'three']);
    const { messages } = await handle.history();
    expect(messages.map(({ text }) => text)).toEqual(['one', 'two', 'three']);
    expect(alice.atrium.chat.outbox.get()).toEqual([]);
  });

  test('the outbox survives a restart of the app', async () => {
    const deviceStorage = memoryStorage();
    const between = await FaultProxy.start(running.url);
    const user = await createUser();
    const alice = await signedIn(user, { url: between.url, deviceStorage });
    const dialog = await alice.atrium.chat.createGroup('Later', []);
    await between.close();
    void alice.atrium.chat.dialog(dialog.id).send('kept');
    await expect.poll(() => deviceStorage.all('outbox')).toHaveLength(1);
    alice.atrium.close();

    const again = await signedIn(user, { deviceStorage });
    await until(again.atrium.chat.outbox, (entries) => entries.length === 0);
    await expect
      .poll(async () => (await again.atrium.chat.dialog(dialog.id).history()).messages.map(({ text }) => text))
      .toEqual(['kept']);
    expect(await deviceStorage.all('outbox')).toEqual([]);
  });

  test('a refused message is failed until it is discarded or succeeds again, and later ones are sent', async () => {
    const { alice, bob, id } = await pair();
    const group = await alice.atrium.chat.createGroup('Group', [bob.id]);
    const handle = bob.atrium.chat.dialog(group.id);
    await until(handle.thread, ({ status }) => status === 'ready');
    await alice.atrium.chat.dialog(group.id).update({ removeUserIds: [bob.id] });
    await expect(handle.send('too late')).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(bob.atrium.chat.outbox.get()).toMatchObject([
      { text: 'too late', state: 'failed', error: { code: 'FORBIDDEN' } },
    ]);
    await bob.atrium.chat.dialog(id).send('elsewhere');
    await alice.atrium.chat.dialog(group.id).update({ addUserIds: [bob.id] });
    await handle.retry(bob.atrium.chat.outbox.get()[0]!);
    await until(bob.atrium.chat.outbox, (entries) => entries.length === 0);
    expect((await handle.history()).messages.map(({ text }) => text)).toEqual(['too late']);

    await alice.atrium.chat.dialog(group.id).update({ removeUserIds: [bob.id] });
    const discarded = handle.send('never');
    await expect(discarded).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await handle.discard(bob.atrium.chat.outbox.get()[0]!);
    expect(bob.atrium.chat.outbox.get()).toEqual([]);
  });

  test('edit, react and delete show their effect at once, for the others by events, and are undone if refused', async () => {
    const { alice, bob, id } = await pair();
    const [mine, theirs] = [alice.atrium.chat.dialog(id), bob.atrium.chat.dialog(id)];
    await until(mine.thread, ({ status }) => status === 'ready');
    await until(theirs.thread, ({ status }) => status === 'ready');
    const message = await mine.send('tea');
    await until(theirs.thread, ({ messages }) => messages.length === 1);

    const edited = mine.edit(message.id, 'coffee');
    expect(mine.thread.get().messages[0]).toMatchObject({ text: 'coffee', isEdited: true });
    await edited;
    await until(theirs.thread, ({ messages }) => messages[0]?.text === 'coffee' && messages[0].isEdited);

    const refused = theirs.edit(message.id, 'mine now');
    expect(theirs.thread.get().messages[0]).toMatchObject({ text: 'mine now' });
    await expect(refused).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(theirs.thread.get().messages[0]).toMatchObject({ text: 'coffee' });

    const reacted = theirs.react(message.id, '👍');
    expect(theirs.thread.get().messages[0]!.reactions).toEqual([{ name: '👍', count: 1, own: true }]);
    await reacted;
    await until(mine.thread, ({ messages }) => messages[0]?.reactions[0]?.count === 1);
    expect(mine.thread.get().messages[0]!.reactions).toEqual([{ name: '👍', count: 1, own: false }]);
    await theirs.react(message.id, '👍');
    await until(mine.thread, ({ messages }) => messages[0]?.reactions.length === 0);

    const deleted = mine.delete(message.id);
    expect(mine.thread.get().messages).toEqual([]);
    await deleted;
    await until(theirs.thread, ({ messages }) => messages.length === 0);
  });

  test('unread counts, read marks, typing and presence follow the other user', async () => {
    const { alice, bob, id } = await pair();
    const [mine, theirs] = [alice.atrium.chat.dialog(id), bob.atrium.chat.dialog(id)];
    await until(mine.thread, ({ status }) => status === 'ready');
    const unread = until(bob.atrium.chat.unread, (count) => count === 1);
    await until(bob.atrium.chat.list, ({ status, isStale }) => status === 'ready' && !isStale);
    const message = await mine.send('ping');
    await unread;
    const list = await until(bob.atrium.chat.list, ({ dialogs }) => dialogs[0]?.unreadCount === 1);
    expect(list.dialogs[0]).toMatchObject({ id, peerId: alice.id, lastMessage: { text: 'ping', senderId: alice.id } });
    await theirs.markRead();
    await until(bob.atrium.chat.unread, (count) => count === 0);
    await until(bob.atrium.chat.list, ({ dialogs }) => dialogs[0]?.unreadCount === 0);
    await until(mine.thread, ({ messages }) => messages[0]?.readIds.includes(bob.id));
    expect(mine.thread.get().messages).toMatchObject([{ id: message.id, readIds: [alice.id, bob.id] }]);

    await theirs.typing();
    await until(mine.thread, ({ typing }) => typing.includes(bob.id));
    await until(mine.typingIds, (ids) => ids.includes(bob.id));
    await theirs.send('pong');
    await until(mine.thread, ({ typing }) => typing.length === 0);
    expect(mine.typingIds.get()).toEqual([]);

    await until(alice.atrium.chat.online([bob.id]), (online) => online.has(bob.id));
    bob.atrium.close();
    await until(alice.atrium.chat.online([bob.id]), (online) => !online.has(bob.id));
  });

  test('a user finds dialogs by name, mutes one, and makes a member admin of a group', async () => {
    const { alice, bob } = await pair();
    const { id } = await alice.atrium.chat.createGroup('Lunch on Thursday', [bob.id]);
    await alice.atrium.chat.createGroup('Dinner', [bob.id]);
    const found = await alice.atrium.chat.dialogs({ name: 'thurs' });
    expect(found.items.map((dialog) => dialog.id)).toEqual([id]);

    const handle = alice.atrium.chat.dialog(id);
    expect(await handle.isMuted()).toBe(false);
    await handle.mute();
    expect(await handle.isMuted()).toBe(true);
    expect(await bob.atrium.chat.dialog(id).isMuted()).toBe(false);
    await handle.mute(false);
    expect(await handle.isMuted()).toBe(false);

    expect(await handle.update({ addAdminIds: [bob.id], photo: 'picture' })).toMatchObject({
      adminIds: [bob.id],
      photo: 'picture',
    });
    expect(await handle.update({ removeAdminIds: [bob.id], photo: null })).toMatchObject({ adminIds: [], photo: null });
  });

  test('the list keeps what happened while it was loaded', async () => {
    const held = new HeldResponse();
    const { alice, bob, id } = await pair({ fetch: held.fetch });
    const removed = await bob.atrium.chat.createGroup('Lunch', [alice.id]);
    const thread = bob.atrium.chat.dialog(id);
    await thread.send('before');
    await until(alice.atrium.chat.dialog(id).thread, ({ messages }) => messages.length === 1);
    const gone = alice.atrium.chat.dialog(removed.id).thread;
    await until(gone, ({ status }) => status === 'ready');
    const arrived = held.hold('Dialogs');
    const list = until(alice.atrium.chat.list, ({ status, isStale }) => status === 'ready' && !isStale);
    await arrived;
    await thread.send('during');
    await until(alice.atrium.chat.dialog(id).thread, ({ messages }) => messages.length === 2);
    await bob.atrium.chat.dialog(removed.id).update({ removeUserIds: [alice.id] });
    await until(gone, ({ status }) => status === 'error');
    held.release();
    expect((await list).dialogs.map(({ id }) => id)).toContain(removed.id);
    const { dialogs } = alice.atrium.chat.list.get();
    expect(dialogs).toMatchObject([{ id, lastMessage: { text: 'during' }, unreadCount: 2 }]);
  });

  test('the list keeps what happened while it loaded one dialog again', async () => {
    const held = new HeldResponse();
    const { alice, bob, id } = await pair({ fetch: held.fetch });
    const handle = bob.atrium.chat.dialog(id);
    const seen: (string | undefined)[] = [];
    onTestFinished(
      alice.atrium.chat.list.subscribe(() => {
        seen.push(alice.atrium.chat.list.get().dialogs[0]?.lastMessage?.text);
      }),
    );
    await until(alice.atrium.chat.list, ({ status, isStale }) => status === 'ready' && !isStale);
    const first = await handle.send('first');
    const arrived = held.hold('Dialog(');
    await handle.edit(first.id, 'first, edited');
    await arrived;
    const second = await handle.send('second');
    await until(alice.atrium.chat.list, ({ dialogs }) => dialogs[0]?.lastMessage?.text === 'second');
    held.release();
    await handle.edit(second.id, 'second, edited');
    await until(alice.atrium.chat.list, ({ dialogs }) => dialogs[0]?.lastMessage?.text === 'second, edited');
    expect(seen.slice(seen.indexOf('second'))).not.toContain('first, edited');
  });

  test('a message keeps an edit that arrives while its reactions are loaded', async () => {
    const held = new HeldResponse();
    const { alice, bob, id } = await pair({ fetch: held.fetch });
    const [mine, theirs] = [alice.atrium.chat.dialog(id), bob.atrium.chat.dialog(id)];
    const seen: string[] = [];
    onTestFinished(mine.thread.subscribe(() => seen.push(mine.thread.get().messages[0]?.text ?? '')));
    const message = await theirs.send('draft');
    await until(mine.thread, ({ messages }) => messages[0]?.state === 'sent');
    const arrived = held.hold('Messages');
    await theirs.react(message.id, '👍');
    await arrived;
    await theirs.edit(message.id, 'final');
    await until(mine.thread, ({ messages }) => messages[0]?.text === 'final');
    held.release();
    await until(mine.thread, ({ messages }) => messages[0]?.reactions[0]?.count === 1);
    expect(seen.slice(seen.indexOf('final'))).not.toContain('draft');
    expect(mine.thread.get().messages).toMatchObject([{ text: 'final', isEdited: true }]);
  });

  test('reactions do not go back if an older response arrives last', async () => {
    const held = new HeldResponse();
    const { alice, bob, id } = await pair({ fetch: held.fetch });
    const [mine, theirs] = [alice.atrium.chat.dialog(id), bob.atrium.chat.dialog(id)];
    const message = await theirs.send('vote');
    await until(mine.thread, ({ messages }) => messages[0]?.state === 'sent');
    const arrived = held.hold('Messages');
    await theirs.react(message.id, '👍');
    await arrived;
    await theirs.react(message.id, '🎉');
    await until(mine.thread, ({ messages }) => messages[0]?.reactions.length === 2);
    held.release();
    await theirs.send('next');
    await until(mine.thread, ({ messages }) => messages.length === 2);
    expect(mine.thread.get().messages[0]!.reactions).toHaveLength(2);
  });

  test('older messages contain the changes that arrive while they are loaded', async () => {
    const held = new HeldResponse();
    const { alice, bob, id } = await pair({ fetch: held.fetch });
    const [mine, theirs] = [alice.atrium.chat.dialog(id), bob.atrium.chat.dialog(id)];
    const sent = [];
    for (let number = 0; number < 60; number++) sent.push(await theirs.send(`${number}`));
    await until(
      mine.thread,
      ({ status, isStale, messages }) => status === 'ready' && !isStale && messages.length === 50,
    );
    const arrived = held.hold('Messages');
    const loaded = mine.loadOlder();
    await arrived;
    await theirs.edit(sent[0]!.id, 'edited');
    await theirs.delete(sent[1]!.id);
    await theirs.send('60');
    await until(mine.thread, ({ messages }) => messages.at(-1)?.text === '60');
    held.release();
    await loaded;
    const shown = mine.thread.get().messages.map(({ text }) => text);
    expect(shown.slice(0, 2)).toEqual(['edited', '2']);
    expect(shown).toHaveLength(60);
  });

  test('an own message that is stored while earlier messages are shown leaves no gap before it', async () => {
    const held = new HeldResponse();
    const { alice, id } = await pair({ fetch: held.fetch });
    const mine = alice.atrium.chat.dialog(id);
    const first = await mine.send('0');
    for (let number = 1; number < 80; number++) await mine.send(`${number}`);
    await until(mine.thread, ({ status, isStale }) => status === 'ready' && !isStale);
    const arrived = held.hold('Send(');
    const sending = mine.send('80');
    await arrived;
    await mine.jumpTo(first.id);
    held.release();
    await sending;
    while (mine.thread.get().hasNewer) await mine.loadNewer();
    expect(mine.thread.get().messages.map(({ text }) => Number(text))).toEqual(
      Array.from({ length: 81 }, (_, number) => number),
    );
  });

  test('a message that a closed tab has stored, but not sent, is sent when the connection opens', async () => {
    const deviceStorage = memoryStorage();
    const { alice, id } = await pair({ deviceStorage });
    const handle = alice.atrium.chat.dialog(id);
    await handle.send('first');
    const left = {
      key: 'of-the-closed-tab',
      userId: alice.id,
      dialogId: id,
      text: 'left',
      state: 'pending',
      attempts: 0,
    };
    await deviceStorage.put('outbox', left.key, { ...left, createdAt: Date.now() });
    await until(handle.thread, (thread) => texts(thread).join() === 'first sent,left sent');
    expect(await deviceStorage.all('outbox')).toEqual([]);
  });

  test('messages are paged both ways around one message', async () => {
    const { alice, id } = await pair();
    const handle = alice.atrium.chat.dialog(id);
    for (let index = 0; index < 120; index++) await handle.send(`${index}`);
    const first = await until(handle.thread, ({ status }) => status === 'ready');
    expect(first.messages.map(({ text }) => text)).toEqual(Array.from({ length: 50 }, (_, index) => `${index + 70}`));
    expect(first.hasOlder).toBe(true);
    await handle.loadOlder();
    await handle.loadOlder();
    const all = handle.thread.get();
    expect(all.messages.map(({ text }) => Number(text))).toEqual(Array.from({ length: 120 }, (_, index) => index));
    expect(all.hasOlder).toBe(false);
    await handle.jumpTo(all.messages[40]!.id);
    expect(handle.thread.get()).toMatchObject({ hasOlder: true, hasNewer: true });
    expect(handle.thread.get().messages.map(({ text }) => Number(text))).toEqual(
      Array.from({ length: 50 }, (_, index) => index + 15),
    );
    await handle.loadNewer();
    expect(handle.thread.get().messages.at(-1)!.text).toBe('114');
    await Promise.all([handle.jumpToLatest(), handle.jumpToLatest()]);
    expect(handle.thread.get()).toMatchObject({ status: 'ready', hasNewer: false });
    expect(handle.thread.get().messages.at(-1)!.text).toBe('119');
  });

  test('calls without a listener for their failure cause no unhandled rejection', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', note);
    onTestFinished(() => void process.off('unhandledRejection', note));
    const { atrium } = await signedIn();
    const handle = atrium.chat.dialog('000000000000000000000000');
    void handle.send('nowhere');
    void handle.typing();
    void handle.markRead();
    void handle.edit('000000000000000000000000', 'x');
    void handle.react('000000000000000000000000', 'x');
    void handle.delete('000000000000000000000000');
    await until(atrium.chat.outbox, (entries) => entries[0]?.state === 'failed');
    await expect(handle.typing().then(() => handle.history())).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(unhandled).toEqual([]);
  });
});
