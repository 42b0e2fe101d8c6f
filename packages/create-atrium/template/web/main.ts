import { AtriumError, type SignIn } from '@atrium/client';
import { connect } from './atrium.ts';
import * as chat from './chat.ts';

const find = <Type extends HTMLElement>(id: string) => document.getElementById(id) as Type;
const [account, open, write, note] = ['account', 'open', 'write', 'note'].map((id) =>
  find<HTMLFormElement>(id),
) as HTMLFormElement[];
const report = (text: string) => find('status').replaceChildren(text);
const textOf = (form: HTMLFormElement, name: string) => String(new FormData(form).get(name)).trim();

/** Set while the client waits for a user whose session has expired. */
let resume: ((who: SignIn) => void) | undefined;
let shown: { id: string; stop: () => void } | undefined;

const client = connect(location.origin, () => {
  showAccount('Your session has expired. Sign in again.');
  return new Promise<SignIn>((resolve) => {
    resume = resolve;
  });
});

account.addEventListener('submit', (event) => {
  event.preventDefault();
  const [login, password] = [textOf(account, 'login'), textOf(account, 'password')];
  const isNew = (event.submitter as HTMLButtonElement | null)?.value === 'up';
  void attempt(async () => {
    if (resume) {
      resume({ login, password });
      resume = undefined;
      return showRooms();
    }
    await (isNew ? chat.signUp(client, login, password) : client.signIn({ login, password }));
    start();
  });
});

open.addEventListener('submit', (event) => {
  event.preventDefault();
  void attempt(async () => {
    const { id, name } = await chat.openPrivate(client, textOf(open, 'login'));
    open.reset();
    showDialog(id, name ?? '');
  });
});

note.addEventListener('submit', (event) => {
  event.preventDefault();
  void attempt(async () => {
    await chat.addNote(client, textOf(note, 'text'));
    note.reset();
    await showNotes();
  });
});

find('leave').addEventListener('click', () => void client.signOut().finally(() => location.reload()));

function start(): void {
  showRooms();
  chat.watchDialogs(
    client,
    () => attempt(showDialogs),
    (error) => error !== undefined && showAccount(textOfError(error)),
  );
  void attempt(showNotes);
}

async function showDialogs(): Promise<void> {
  const dialogs = await chat.listDialogs(client);
  find('empty').hidden = dialogs.length > 0;
  find('dialogs').replaceChildren(
    ...dialogs.map(({ id, name, lastMessage, unreadMessagesCount: unread }) => {
      const button = element('button', { type: 'button' }, [
        element('strong', {}, [name ?? '']),
        element('span', {}, [lastMessage ?? 'No messages yet']),
        ...(unread ? [element('em', { 'aria-label': `${unread} unread` }, [String(unread)])] : []),
      ]);
      if (shown?.id === id) button.setAttribute('aria-current', 'true');
      button.addEventListener('click', () => showDialog(id, name ?? ''));
      return element('li', {}, [button]);
    }),
  );
}

function showDialog(id: string, name: string): void {
  shown?.stop();
  report('');
  find('title').textContent = name;
  find('hint').hidden = true;
  write.hidden = false;
  let count = 0;
  const stop = chat.watchMessages(
    client,
    id,
    (messages) => {
      const list = find('messages');
      list.replaceChildren(
        ...messages.map(({ senderId, text }) => {
          const isOwn = senderId === client.session?.userId;
          const author = element('b', {}, [isOwn ? 'You' : name]);
          return element('li', { class: isOwn ? 'own' : '' }, [author, element('p', {}, [text ?? ''])]);
        }),
      );
      list.scrollTop = list.scrollHeight;
      if (messages.length > count) void chat.markRead(client, id).catch(() => {});
      count = messages.length;
    },
    (error) => error !== undefined && report(textOfError(error)),
  );
  shown = { id, stop };
  // A message keeps its id until it is stored, so that sending it again does not store it twice.
  let unsent = { text: '', clientId: '' };
  write.onsubmit = (event) => {
    event.preventDefault();
    const text = textOf(write, 'text');
    if (text === '') return;
    if (unsent.text !== text) unsent = { text, clientId: crypto.randomUUID() };
    void attempt(async () => {
      await chat.send(client, id, text, unsent.clientId);
      unsent = { text: '', clientId: '' };
      write.reset();
    });
  };
  write.querySelector('input')?.focus();
  void attempt(showDialogs);
}

async function showNotes(): Promise<void> {
  const notes = await chat.listNotes(client);
  find('notes').replaceChildren(...notes.map(({ text }) => element('li', {}, [text ?? ''])));
}

function showAccount(text: string): void {
  report(text);
  [account.hidden, find('rooms').hidden] = [false, true];
}

function showRooms(): void {
  report('');
  [account.hidden, find('rooms').hidden] = [true, false];
}

async function attempt(work: () => unknown): Promise<void> {
  try {
    await work();
    report('');
  } catch (error) {
    report(textOfError(error));
  }
}

function textOfError(error: unknown): string {
  if (!(error instanceof AtriumError)) throw error;
  const fields = Object.entries(error.fields).map(([field, texts]) => `${field} ${texts.join(', ')}`);
  return error.code === 'UNAUTHENTICATED' ? 'Login or password is wrong.' : fields.join('; ') || error.message;
}

function element(name: string, attributes: Record<string, string>, content: (Node | string)[]): HTMLElement {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...content);
  return made;
}

if ((await client.restore())?.userId) start();
else showAccount('');
