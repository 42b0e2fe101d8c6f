import { once } from 'node:events';
import { WebSocket } from 'ws';
import { forEach, type Person } from './calls.ts';
import type { Cleanup } from './cleanup.ts';

const SUBSCRIPTION =
  'subscription ($dialogId: ID!) { messageSent(dialogId: $dialogId) { cursor dialogId message { id text senderId } } }';

export type OnFrame = (socket: number, frame: Buffer) => void;

/** Minimal use of `graphql-transport-ws`. */
export function subscribers(
  url: string,
  { people, dialogId, count }: { people: Person[]; dialogId: string; count: number },
  onFrame: OnFrame,
  cleanup: Cleanup,
): Promise<void> {
  const subscribe = JSON.stringify({
    id: '1',
    type: 'subscribe',
    payload: { query: SUBSCRIPTION, variables: { dialogId } },
  });
  return connect(count, cleanup, async (number) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', OPTIONS);
    await once(socket, 'open');
    const { token } = people[number % people.length]!;
    socket.send(JSON.stringify({ type: 'connection_init', payload: { 'SVC-Token': token } }));
    await once(socket, 'message');
    socket.on('message', (frame: Buffer) => onFrame(number, frame));
    socket.send(subscribe);
    return socket;
  });
}

export function listeners(url: string, count: number, onFrame: OnFrame, cleanup: Cleanup): Promise<void> {
  return connect(count, cleanup, async (number) => {
    const socket = new WebSocket(url.replace('http', 'ws'), OPTIONS);
    await once(socket, 'open');
    socket.on('message', (frame: Buffer) => onFrame(number, frame));
    return socket;
  });
}

const OPTIONS = { perMessageDeflate: false, skipUTF8Validation: true };

async function connect(count: number, cleanup: Cleanup, open: (number: number) => Promise<WebSocket>): Promise<void> {
  const sockets: WebSocket[] = [];
  cleanup.add(() => {
    for (const socket of sockets) socket.terminate();
  });
  await forEach(Array(count).keys(), 32, async (number) => {
    const socket = await open(number);
    socket.on('error', () => {}); // missing messages are counted
    sockets.push(socket);
  });
}
