import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { SubscriberCommand, SubscriberResponse, SubscriberSettings } from './subscriber-processes.ts';

/** Survives reconnects. */
interface Subscriber {
  token: string | undefined;
  socket: WebSocket | undefined;
  last: number;
  cursor: string | undefined;
  missed: number;
  doubled: number;
  /** Number of a message sent after the subscription started; 0 until then. */
  awaits: number;
  served: (() => void) | undefined;
}

const SUBSCRIPTION = `subscription ($dialogId: ID!, $since: String) {
  messageSent(dialogId: $dialogId, since: $since) { cursor dialogId message { id text senderId } } }`;
const MAX_CONNECTING = 500;
const OPTIONS = { perMessageDeflate: false, skipUTF8Validation: true };
const MESSAGE = /"cursor":"(\d+)".*"text":"message (\d+)"/;

process.on('disconnect', () => process.exit());
const [settings] = (await once(process, 'message')) as [SubscriberSettings];
const subscribers: Subscriber[] = settings.tokens.map((token) => ({
  token,
  socket: undefined,
  last: 0,
  cursor: undefined,
  missed: 0,
  doubled: 0,
  awaits: 0,
  served: undefined,
}));
let sent = 0;

const commands: Record<
  SubscriberCommand['do'],
  (command: SubscriberCommand) => Promise<SubscriberResponse> | undefined
> = {
  connect: async () => {
    await forEachLimited(connect);
    return { milliseconds: [] };
  },
  subscribe: async ({ resumes = false }) => {
    const begin = performance.now();
    const milliseconds = await Promise.all(
      subscribers.map(async (subscriber) => {
        if (!resumes) subscriber.last = 0;
        await new Promise<void>((resolve) => {
          subscriber.served = resolve;
          void subscribe(subscriber, resumes);
        });
        return performance.now() - begin;
      }),
    );
    return { milliseconds };
  },
  disconnect: async () => {
    await Promise.all(subscribers.map(disconnect));
    return { milliseconds: [] };
  },
  count: async () => ({
    milliseconds: [],
    missed: sum((subscriber) => subscriber.missed + (sent - subscriber.last)),
    doubled: sum((subscriber) => subscriber.doubled),
    last: Math.min(...subscribers.map((subscriber) => subscriber.last)),
  }),
  sent: ({ number }) => {
    sent = number!;
    return undefined;
  },
};

process.on('message', async (command: SubscriberCommand) => {
  const answer = await commands[command.do](command);
  if (answer) process.send!(answer);
});
process.stdout.write('ready at nowhere\n');

/** Limits connection attempts to the listen backlog, because beyond it the kernel retries after seconds or minutes. */
const connecting = {
  count: 0,
  waiting: [] as (() => void)[],
  async acquire(): Promise<void> {
    if (this.count++ >= MAX_CONNECTING) await new Promise<void>((resolve) => this.waiting.push(resolve));
  },
  release(): void {
    this.count--;
    this.waiting.shift()?.();
  },
};

async function connect(subscriber: Subscriber): Promise<void> {
  subscriber.socket = new WebSocket(settings.url, settings.protocol, OPTIONS);
  subscriber.socket.on('error', () => {});
  await once(subscriber.socket, 'open');
}

/** Retries, because a full backlog may refuse the first attempt. */
async function subscribe(subscriber: Subscriber, resumes: boolean): Promise<void> {
  await connecting.acquire();
  const socket = new WebSocket(settings.url, settings.protocol, OPTIONS);
  subscriber.socket = socket;
  subscriber.awaits = 0;
  socket.on('error', () => {});
  socket.once('open', () => connecting.release());
  socket.on('close', () => {
    if (!socket.protocol) connecting.release(); // it was never opened
    if (subscriber.socket === socket) setTimeout(() => void subscribe(subscriber, resumes), 100);
  });
  socket.on('open', () => {
    socket.send(JSON.stringify({ type: 'connection_init', payload: { 'SVC-Token': subscriber.token } }));
  });
  socket.on('message', (frame: Buffer) => {
    const text = frame.toString('latin1');
    if (text.includes('"connection_ack"')) {
      const variables = { dialogId: settings.dialogId, since: resumes ? subscriber.cursor : undefined };
      socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: SUBSCRIPTION, variables } }));
      subscriber.awaits = sent + 1;
    } else if (subscriber.socket === socket) {
      receive(subscriber, text);
    }
  });
}

function receive(subscriber: Subscriber, frame: string): void {
  const [, cursor, digits] = MESSAGE.exec(frame) ?? [];
  if (!digits) throw new Error(`unexpected frame: ${frame}`);
  const number = Number(digits);
  if (number <= subscriber.last) subscriber.doubled++;
  else if (subscriber.last > 0) subscriber.missed += number - subscriber.last - 1;
  subscriber.last = number;
  subscriber.cursor = cursor;
  if (number >= subscriber.awaits) {
    subscriber.served?.();
    subscriber.served = undefined;
  }
}

/** Disconnects abruptly, as a failing network does. */
async function disconnect(subscriber: Subscriber): Promise<void> {
  const { socket } = subscriber;
  subscriber.socket = undefined;
  if (!socket || socket.readyState === WebSocket.CLOSED) return;
  const closed = once(socket, 'close');
  // A reset leaves no port in TIME_WAIT; otherwise the ports would be used up after a few rounds.
  (socket as unknown as { _socket: import('node:net').Socket })._socket.resetAndDestroy();
  await closed;
}

async function forEachLimited(action: (subscriber: Subscriber) => Promise<void>): Promise<void> {
  const rest = subscribers.values();
  const work = async () => {
    for (const subscriber of rest) await action(subscriber);
  };
  await Promise.all(Array.from({ length: 64 }, work));
}

function sum(of: (subscriber: Subscriber) => number): number {
  return subscribers.reduce((total, subscriber) => total + of(subscriber), 0);
}
