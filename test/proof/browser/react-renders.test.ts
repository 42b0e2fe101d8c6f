import { describe, expect, test } from 'vitest';
import { APPLICATION, running, useApp } from '../../support/app/app.ts';
import { bundle } from '../../support/app/bundle.ts';
import { hasBrowser, openPage, useBrowser } from '../../support/clients/browser.ts';
import { createDialog, execute, send } from '../../support/fixtures/chat.ts';
import { apiKey, createUser } from '../../support/fixtures/users.ts';

type Counts = Record<'dialogs' | 'thread' | 'other' | 'unread' | 'presence' | 'connection' | 'typing', number>;

interface Shown {
  renders: Counts;
  lastMessages: string[];
  texts: string[];
  others: string[];
  unread: number;
  typing: number;
  isReady: boolean;
}

/** Seven components that count their renders, with the hooks of `@atrium/react`, for a user who signs in. */
const componentsOf = (given: object) => `
  import { createAtrium } from '@atrium/client';
  import { AtriumProvider, useConnection, useDialog, useDialogs, usePresence, useTyping, useUnread } from '@atrium/react';
  import { createRoot } from 'react-dom/client';
  const { url, applicationId, login, password, thread, other, userIds } = ${JSON.stringify(given)};
  const renders = { dialogs: 0, thread: 0, other: 0, unread: 0, presence: 0, connection: 0, typing: 0 };
  const shown = globalThis.shown = { renders };
  const Dialogs = () => {
    renders.dialogs++;
    const { dialogs, status } = useDialogs();
    shown.lastMessages = dialogs.map(({ lastMessage }) => lastMessage?.text);
    shown.isListed = status === 'ready';
  };
  const Thread = () => {
    renders.thread++;
    const { messages, typingIds, status } = useDialog(thread);
    shown.texts = messages.map(({ text }) => text);
    shown.typing = typingIds.length;
    shown.isRead = status === 'ready';
  };
  const Other = () => {
    renders.other++;
    shown.others = useDialog(other).messages.map(({ text }) => text);
  };
  const Unread = () => { renders.unread++; shown.unread = useUnread(); };
  const Presence = () => { renders.presence++; usePresence(userIds); };
  const Connection = () => { renders.connection++; shown.isReady = useConnection() === 'open'; };
  const Typing = () => { renders.typing++; useTyping(thread); };
  const atrium = createAtrium({ url, applicationId });
  atrium.session.signIn({ login, password }).then(() =>
    createRoot(document.body).render(
      <AtriumProvider atrium={atrium}>
        <Dialogs /><Thread /><Other /><Unread /><Presence /><Connection /><Typing />
      </AtriumProvider>,
    ),
  ).catch((error) => { shown.error = String(error); });`;

describe.skipIf(!hasBrowser)('renders of components with the hooks of @atrium/react', () => {
  useApp();
  useBrowser();

  test('an event renders only the components that show what it changed', async () => {
    await execute('mutation { updateApplication(input: { publicSignIn: true }) { id } }', {}, apiKey);
    const [alice, bob] = [await createUser(), await createUser()];
    const [thread, other] = [await createDialog(bob, [alice]), await createDialog(bob, [alice])];
    await send(bob, thread, 'first of the thread');
    await send(bob, other, 'first of the other');
    const { page, problems } = await openPage(`${running.url}/robots.txt`);
    const { login, password } = alice;
    const given = {
      url: running.url,
      applicationId: APPLICATION.id,
      login,
      password,
      thread,
      other,
      userIds: [bob.id],
    };
    await page.evaluate(await bundle(componentsOf(given), 'browser'));
    expect(problems).toEqual([]);
    const shown = () => page.evaluate(() => (globalThis as unknown as { shown: Shown }).shown);
    await expect.poll(shown).toMatchObject({ texts: ['first of the thread'] });
    await expect.poll(async () => (await shown()).others).toEqual(['first of the other']);
    await expect.poll(shown).toMatchObject({ isReady: true, unread: 2 });

    /** Renders per component from an action until `isDone`. */
    const rendersOf = async (action: () => Promise<unknown>, isDone: (now: Shown) => boolean): Promise<Counts> => {
      const { renders: before } = await shown();
      await action();
      await expect.poll(async () => isDone(await shown())).toBe(true);
      const { renders } = await shown();
      return Object.fromEntries(
        Object.entries(renders).map(([name, count]) => [name, count - before[name as keyof Counts]]),
      ) as Counts;
    };

    const counts = {
      'message in the thread': await rendersOf(
        () => send(bob, thread, 'second'),
        ({ texts, unread, lastMessages }) => texts.length === 2 && unread === 3 && lastMessages[0] === 'second',
      ),
      'message in the other dialog': await rendersOf(
        () => send(bob, other, 'third'),
        ({ others, unread, lastMessages }) => others.length === 2 && unread === 4 && lastMessages[0] === 'third',
      ),
      typing: await rendersOf(
        () => execute('mutation ($id: ID!) { startTyping(dialogId: $id) }', { id: thread }, bob),
        ({ typing }) => typing === 1,
      ),
    };
    const none: Counts = { dialogs: 0, thread: 0, other: 0, unread: 0, presence: 0, connection: 0, typing: 0 };
    expect(counts).toEqual({
      'message in the thread': { ...none, dialogs: 1, thread: 1, unread: 1 },
      'message in the other dialog': { ...none, dialogs: 1, other: 1, unread: 1 },
      typing: { ...none, thread: 1, typing: 1 },
    });
    await page.context().close();
  });
});
