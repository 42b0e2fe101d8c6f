import { once } from 'node:events';
import { WebSocket } from 'ws';
import { forEach, type Person } from './calls.ts';
import type { Cleanup } from './cleanup.ts';
import { APPLICATION } from './service.ts';
import type { OnFrame } from './subscribers.ts';

const DOMAIN = '127.0.0.1';
const OPEN = `<open xmlns="urn:ietf:params:xml:ns:xmpp-framing" to="${DOMAIN}" version="1.0"/>`;

/** Minimal use of XMPP over WebSocket. */
export async function openStream(url: string, { id, token }: Person): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/xmpp`, 'xmpp', { perMessageDeflate: false });
  const plain = Buffer.from(`\0${id}-${APPLICATION.id}\0${token}`).toString('base64');
  await once(socket, 'open');
  const steps = [
    [OPEN, '<stream:features'],
    [`<auth xmlns="urn:ietf:params:xml:ns:xmpp-sasl" mechanism="PLAIN">${plain}</auth>`, '<success'],
    [OPEN, '<stream:features'],
    ['<iq id="b" type="set"><bind xmlns="urn:ietf:params:xml:ns:xmpp-bind"/></iq>', 'id="b"'],
    ['<presence/>', '<presence'],
  ] as const;
  for (const [sent, answer] of steps) {
    socket.send(sent);
    await untilFrame(socket, answer);
  }
  return socket;
}

export const roomOf = (dialogId: string, nick: number) => `${APPLICATION.id}_${dialogId}@muc.${DOMAIN}/${nick}`;

export const joinOf = (dialogId: string, { id }: Person) =>
  `<presence id="j" to="${roomOf(dialogId, id)}"><x xmlns="http://jabber.org/protocol/muc"/></presence>`;

export async function untilFrame(socket: WebSocket, text: string, count = 1): Promise<void> {
  let seen = 0;
  await new Promise<void>((resolve, reject) => {
    const onMessage = (data: Buffer) => {
      if (!data.includes(text) || ++seen < count) return;
      socket.off('message', onMessage);
      resolve();
    };
    socket.on('message', onMessage);
    socket.once('close', () => reject(new Error('the stream was closed')));
  });
}

/** Streams that have joined the room of a dialog. */
export async function joinedStreams(
  url: string,
  { people, dialogId, count }: { people: Person[]; dialogId: string; count: number },
  onFrame: OnFrame,
  cleanup: Cleanup,
): Promise<void> {
  await forEach(Array(count).keys(), 16, async (number) => {
    const person = people[number % people.length]!;
    const socket = await openStream(url, person);
    cleanup.add(() => socket.terminate());
    socket.send(joinOf(dialogId, person));
    await untilFrame(socket, 'code="110"');
    socket.on('message', (frame: Buffer) => {
      if (frame.includes('<body>')) onFrame(number, frame);
    });
  });
}
