import type { Message } from '@atrium/client';
import { showAccount, textOfError } from './account.tsx';
import { connect, openPrivate } from './atrium.ts';

const find = <Type extends HTMLElement>(id: string) => document.getElementById(id) as Type;
const [open, write, note] = ['open', 'write', 'note'].map((id) => find<HTMLFormElement>(id)) as [
  HTMLFormElement,
  HTMLFormElement,
  HTMLFormElement,
];
const report = (text: string) => find('status').replaceChildren(text);
const textOf = (form: HTMLFormElement, name: string) => String(new FormData(form).get(name)).trim();

const { applicationId } = await (await fetch('/settings.json')).json();
const atrium = connect(`${location.origin}/backend`, applicationId);

let shown: { id: string; stop: () => void } | undefined;
let stopWatching: (() => void)[] = [];

showAccount(find('account'), atrium);

onSubmit(open, async () => {
  const id = await openPrivate(atrium, textOf(open, 'login'));
  open.reset();
  showDialog(id);
});

onSubmit(note, async () => {
  await atrium.records('Note').create({ text: textOf(note, 'text') });
  note.reset();
});

// The outbox of the client sends the message as soon as it can, also after a reload.
onSubmit(write, () => {
  const text = textOf(write, 'text');
  if (shown && text !== '') void atrium.chat.dialog(shown.id).send(text);
  write.reset();
});

find('leave').addEventListener('click', () => void atrium.session.signOut());

atrium.session.watch(({ status, user }) => {
  for (const stop of stopWatching) stop();
  shown?.stop();
  [stopWatching, shown] = [[], undefined];
  find('account').hidden = status !== 'signedOut';
  find('rooms').hidden = status !== 'signedIn';
  if (!user) return;
  find('user').textContent = user.name;
  [write.hidden, find('hint').hidden] = [true, false];
  find('title').textContent = 'Messages';
  find('messages').replaceChildren();
  stopWatching = [
    atrium.chat.watchDialogs(showDialogs),
    atrium.records('Note').watch({ orderBy: { field: 'createdAt', direction: 'DESC' } }, ({ records }) => {
      find('notes').replaceChildren(...records.map(({ text }) => element('li', {}, [text ?? ''])));
    }),
  ];
});

function showDialogs({ dialogs, status }: ReturnType<typeof atrium.chat.list.get>): void {
  find('empty').hidden = dialogs.length > 0 || status === 'loading';
  find('dialogs').replaceChildren(
    ...dialogs.map(({ id, name, lastMessage, unreadCount }) => {
      const button = element('button', { type: 'button' }, [
        element('strong', {}, [name]),
        element('span', {}, [lastMessage?.text ?? 'No messages yet']),
        ...(unreadCount > 0 ? [element('em', { title: `${unreadCount} unread` }, [String(unreadCount)])] : []),
      ]);
      if (shown?.id === id) {
        button.setAttribute('aria-current', 'true');
        find('title').textContent = name;
      }
      button.addEventListener('click', () => showDialog(id));
      return element('li', {}, [button]);
    }),
  );
}

function showDialog(id: string): void {
  shown?.stop();
  const dialog = atrium.chat.dialog(id);
  find('hint').hidden = true;
  write.hidden = false;
  const stop = dialog.watch(({ messages }) => {
    const list = find('messages');
    list.replaceChildren(...messages.map(messageItem));
    list.scrollTop = list.scrollHeight;
    void dialog.markRead();
  });
  shown = { id, stop };
  showDialogs(atrium.chat.list.get());
  find<HTMLInputElement>('text').focus();
}

function messageItem({ senderId, text, state }: Message): HTMLElement {
  const isOwn = senderId === atrium.session.user?.id;
  const note = { pending: 'Waiting …', failed: 'Not sent', sent: '' }[state];
  return element('li', { class: isOwn ? 'own' : '' }, [
    element('b', {}, [isOwn ? 'You' : (find('title').textContent ?? '')]),
    element('p', {}, [text]),
    ...(note ? [element('small', {}, [note])] : []),
  ]);
}

function onSubmit(form: HTMLFormElement, work: () => unknown): void {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    try {
      await work();
      report('');
    } catch (error) {
      report(textOfError(error));
    }
  });
}

function element(name: string, attributes: Record<string, string>, content: (Node | string)[]): HTMLElement {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...content);
  return made;
}
