import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { FlockAnswer, FlockCommand, FlockSettings } from './flock.ts';

/** Survives reconnects. */
interface Seat {
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
const [settings] = (await once(process, 'message')) as [FlockSettings];
const seats: Seat[] = settings.tokens.map((token) => ({
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

const commands: Record<FlockCommand['do'], (command: FlockCommand) => Promise<FlockAnswer> | undefined> = {
  sit: async () => {
    await forSome(sit);
    return { milliseconds: [] };
  },
  subscribe: async ({ resumes = false }) => {
    const begin = performance.now();
    const milliseconds = await Promise.all(
      seats.map(async (seat) => {
        if (!resumes) seat.last = 0;
        await new Promise<void>((resolve) => {
          seat.served = resolve;
          void subscribe(seat, resumes);
        });
        return performance.now() - begin;
      }),
    );
    return { milliseconds };
  },
  leave: async () => {
    await Promise.all(seats.map(leave));
    return { milliseconds: [] };
  },
  count: async () => ({
    milliseconds: [],
    missed: sum((seat) => seat.missed + (sent - seat.last)),
    doubled: sum((seat) => seat.doubled),
    last: Math.min(...seats.map((seat) => seat.last)),
  }),
  sent: ({ number }) => {
    sent = number!;
    return undefined;
  },
};

process.on('message', async (command: FlockCommand) => {
  const answer = await commands[command.do](command);
  if (answer) process.send!(answer);
});
process.stdout.write('ready at nowhere\n');

/** Limits connection attempts to the listen backlog, because beyond it the kernel retries after seconds or minutes. */
const connecting = {
  count: 0,
  waiting: [] as (() => void)[],
  async enter(): Promise<void> {
    if (this.count++ >= MAX_CONNECTING) await new Promise<void>((resolve) => this.waiting.push(resolve));
  },
  leave(): void {
    this.count--;
    this.waiting.shift()?.();
  },
};

async function sit(seat: Seat): Promise<void> {
  seat.socket = new WebSocket(settings.url, settings.protocol, OPTIONS);
  seat.socket.on('error', () => {});
  await once(seat.socket, 'open');
}

/** Retries, because a full backlog may refuse the first attempt. */
async function subscribe(seat: Seat, resumes: boolean): Promise<void> {
  await connecting.enter();
  const socket = new WebSocket(settings.url, settings.protocol, OPTIONS);
  seat.socket = socket;
  seat.awaits = 0;
  socket.on('error', () => {});
  socket.once('open', () => connecting.leave());
  socket.on('close', () => {
    if (!socket.protocol) connecting.leave(); // it was never opened
    if (seat.socket === socket) setTimeout(() => void subscribe(seat, resumes), 100);
  });
  socket.on('open', () => {
    socket.send(JSON.stringify({ type: 'connection_init', payload: { 'SVC-Token': seat.token } }));
  });
  socket.on('message', (frame: Buffer) => {
    const text = frame.toString('latin1');
    if (text.includes('"connection_ack"')) {
      const variables = { dialogId: settings.dialogId, since: resumes ? seat.cursor : undefined };
      socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: SUBSCRIPTION, variables } }));
      seat.awaits = sent + 1;
    } else if (seat.socket === socket) {
      hear(seat, text);
    }
  });
}

function hear(seat: Seat, frame: string): void {
  const [, cursor, digits] = MESSAGE.exec(frame) ?? [];
  if (!digits) throw new Error(`unexpected frame: ${frame}`);
  const number = Number(digits);
  if (number <= seat.last) seat.doubled++;
  else if (seat.last > 0) seat.missed += number - seat.last - 1;
  seat.last = number;
  seat.cursor = cursor;
  if (number >= seat.awaits) {
    seat.served?.();
    seat.served = undefined;
  }
}

/** Disconnects abruptly, as a failing network does. */
async function leave(seat: Seat): Promise<void> {
  const { socket } = seat;
  seat.socket = undefined;
  if (!socket || socket.readyState === WebSocket.CLOSED) return;
  const closed = once(socket, 'close');
  // A reset leaves no port in TIME_WAIT; otherwise the ports would be used up after a few rounds.
  (socket as unknown as { _socket: import('node:net').Socket })._socket.resetAndDestroy();
  await closed;
}

async function forSome(action: (seat: Seat) => Promise<void>): Promise<void> {
  const rest = seats.values();
  const work = async () => {
    for (const seat of rest) await action(seat);
  };
  await Promise.all(Array.from({ length: 64 }, work));
}

function sum(of: (seat: Seat) => number): number {
  return seats.reduce((total, seat) => total + of(seat), 0);
}
