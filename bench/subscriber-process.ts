import { once } from 'node:events';
import { WebSocket } from 'ws';
import { pauseBefore } from '../packages/client/src/pauses.ts';
import { forEach } from './calls.ts';
import type { SubscriberCommand, SubscriberResponse, SubscriberSettings } from './subscriber-processes.ts';

/** Survives reconnects. */
interface Subscriber {
  token: string | undefined;
  socket: WebSocket | undefined;
  last: number;
  cursor: string | undefined;
  missed: number;
  doubled: number;
  attempts: number;
  /** Lost sockets since the last message. */
  losses: number;
  /** Number of a message sent after the subscription started. */
  awaits: number;
  served: (() => void) | undefined;
}

const SUBSCRIPTION = `subscription ($dialogId: ID!, $since: String) {
  messageSent(dialogId: $dialogId, since: $since) { cursor dialogId message { id text senderId } } }`;
const MESSAGE = /"cursor":"(\d+)".*"text":"message (\d+)"/;
/** A few, because the time of the first connect is not measured. */
const CONNECTING = 32;
const NOT_YET = Number.POSITIVE_INFINITY;
/** Of `packages/client`. */
const CONNECT_TIMEOUT_MS = 15_000;

process.on('disconnect', () => process.exit());
const [settings] = (await once(process, 'message')) as [SubscriberSettings];
const { url, dialogId, localAddress } = settings;
const isBare = settings.tokens === undefined;
const OPTIONS = { perMessageDeflate: false, skipUTF8Validation: true, localAddress };
const subscribers: Subscriber[] = Array.from({ length: settings.sockets }, (_, nth) => ({
  token: settings.tokens?.[nth],
  socket: undefined,
  last: 0,
  cursor: undefined,
  missed: 0,
  doubled: 0,
  attempts: 0,
  losses: 0,
  awaits: NOT_YET,
  served: undefined,
}));
let sent = 0;
/** Sockets that have received each message. Messages in flight at the same time arrive in any order. */
const arrivals = new Map<number, { sockets: number; arrived?: () => void }>();

process.on('message', async ({ id, ...command }: SubscriberCommand & { id: number }) => {
  const answer = await obey(command);
  if (answer) process.send!({ id, ...answer });
});
process.stdout.write('ready at nowhere\n');

async function obey(command: SubscriberCommand): Promise<SubscriberResponse | undefined> {
  switch (command.do) {
    case 'open':
      await forEach(subscribers, CONNECTING, connect);
      return {};
    case 'connect': {
      const served = untilServed();
      await forEach(subscribers, CONNECTING, connect);
      return served;
    }
    case 'reconnect': {
      const served = untilServed();
      if (command.cuts) for (const { socket } of subscribers) reset(socket!);
      return served;
    }
    case 'await':
      await new Promise<void>((arrived) => {
        const arrival = arrivalOf(command.number);
        arrival.arrived = arrived;
        if (arrival.sockets === subscribers.length) arrived();
      });
      return {};
    case 'count':
      return {
        missed: sum((subscriber) => subscriber.missed + Math.max(0, sent - subscriber.last)),
        doubled: sum((subscriber) => subscriber.doubled),
      };
    case 'sent':
      sent = command.number;
      return undefined;
  }
}

async function untilServed(): Promise<SubscriberResponse> {
  const begin = performance.now();
  const milliseconds = await Promise.all(
    subscribers.map(async (subscriber) => {
      subscriber.attempts = 0;
      subscriber.awaits = NOT_YET;
      await new Promise<void>((resolve) => {
        subscriber.served = resolve;
      });
      return performance.now() - begin;
    }),
  );
  return { milliseconds, attempts: sum(({ attempts }) => attempts) };
}

/** Pauses like `packages/client`. */
async function reconnect(subscriber: Subscriber): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, pauseBefore(subscriber.losses++)));
  await connect(subscriber);
}

/** @returns when it has subscribed, or its socket has closed */
async function connect(subscriber: Subscriber): Promise<void> {
  subscriber.attempts++;
  subscriber.awaits = NOT_YET;
  let done: () => void;
  const connected = new Promise<void>((resolve) => {
    done = resolve;
  });
  const socket = new WebSocket(url, isBare ? [] : 'graphql-transport-ws', OPTIONS);
  subscriber.socket = socket;
  // A busy process first reads what has arrived.
  const timer = setTimeout(
    () => setImmediate(() => subscriber.awaits === NOT_YET && socket.terminate()),
    CONNECT_TIMEOUT_MS,
  );
  socket.on('error', () => {});
  socket.on('close', () => {
    clearTimeout(timer);
    done();
    if (subscriber.socket === socket) void reconnect(subscriber);
  });
  const subscribed = () => {
    clearTimeout(timer);
    subscriber.awaits = sent + 1;
    done();
  };
  socket.on('open', () => {
    if (isBare) return subscribed();
    socket.send(JSON.stringify({ type: 'connection_init', payload: { 'SVC-Token': subscriber.token } }));
  });
  socket.on('message', (frame: Buffer) => {
    const text = frame.toString('latin1');
    if (text.includes('"connection_ack"')) {
      const variables = { dialogId, since: subscriber.cursor };
      socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: SUBSCRIPTION, variables } }));
      subscribed();
    } else if (subscriber.socket === socket) {
      receive(subscriber, text);
    }
  });
  return connected;
}

function receive(subscriber: Subscriber, frame: string): void {
  const [, cursor, digits] = MESSAGE.exec(frame) ?? [];
  if (!digits) throw new Error(`unexpected frame: ${frame}`);
  const number = Number(digits);
  if (number <= subscriber.last) subscriber.doubled++;
  else if (subscriber.last > 0 && !isBare) subscriber.missed += number - subscriber.last - 1;
  subscriber.last = number;
  subscriber.cursor = cursor;
  subscriber.losses = 0;
  const arrival = arrivalOf(number);
  if (++arrival.sockets === subscribers.length) arrival.arrived?.();
  if (arrival.sockets > subscribers.length) throw new Error(`message ${number} arrived twice`);
  if (number >= subscriber.awaits) {
    subscriber.served?.();
    subscriber.served = undefined;
  }
}

function arrivalOf(number: number) {
  const arrival = arrivals.get(number) ?? { sockets: 0 };
  arrivals.set(number, arrival);
  return arrival as { sockets: number; arrived?: () => void };
}

/**
 * Disconnects abruptly, as a failing network does. A reset leaves no port in TIME_WAIT; otherwise the ports would be
 * used up after a few rounds.
 */
function reset(socket: WebSocket): void {
  (socket as unknown as { _socket: import('node:net').Socket })._socket.resetAndDestroy();
}

function sum(of: (subscriber: Subscriber) => number): number {
  return subscribers.reduce((total, subscriber) => total + of(subscriber), 0);
}
