import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { call, createGroup, forEach, once, type Person, sendMessage, tokenHeader } from './calls.ts';
import type { Comparison, Figures } from './comparison.ts';
import { Deliveries } from './deliveries.ts';
import type { Environment } from './environment.ts';
import { MEASURABLE, memoryOf } from './process-memory.ts';
import type { Started } from './processes.ts';
import { startService } from './service.ts';
import { joinedStreams, joinOf, openStream, untilFrame } from './streams.ts';
import { subscribers } from './subscribers.ts';

const STREAMS = 1_000;
const ROOMS = 2_000;
const KIB = 1024;
const SETTLE_MS = 1_000;

/** Streams of legacy chat clients beside GraphQL subscribers. */
export async function xmpp(environment: Environment): Promise<Comparison[]> {
  const { serviceUrl, servicePid, databaseUrl, folder, people, seconds, cleanup } = environment;
  // Streams receive the messages of all groups of their users.
  const [chatting, subscribing] = [people.slice(0, 2), people.slice(2)];
  const dialogId = await createGroup(serviceUrl, chatting, 'bench chat');
  const sendTo = (group: Person[], id: string) => (text: string) => sendMessage(serviceUrl, group[0]!, id, text);
  const target = { people: chatting, dialogId, count: STREAMS };
  const startStreams = once(async () => {
    const deliveries = new Deliveries(STREAMS, {
      pid: servicePid,
      send: sendTo(chatting, dialogId),
      mark: '<body>message ',
    });
    await joinedStreams(serviceUrl, target, deliveries.onFrame, cleanup);
    await deliveries.untilAllListen();
    await pause(SETTLE_MS); // the last message may not have reached all
    return deliveries;
  });
  const startSubscribers = once(async () => {
    const other = await createGroup(serviceUrl, subscribing, 'bench subscribers');
    const deliveries = new Deliveries(STREAMS, { pid: servicePid, send: sendTo(subscribing, other) });
    await subscribers(
      serviceUrl,
      { people: subscribing, dialogId: other, count: STREAMS },
      deliveries.onFrame,
      cleanup,
    );
    await deliveries.untilAllListen();
    await pause(SETTLE_MS); // the last message may not have reached all
    return deliveries;
  });
  const measured = once(() => startService({ databaseUrl, dataDir: join(folder, 'xmpp') }, cleanup, MEASURABLE));
  const rooms = once(() => createRooms(environment));
  return [
    {
      name: `one message to ${STREAMS} joined streams`,
      service: async () => (await startStreams()).latency(seconds),
      bare: async () => (await startSubscribers()).latency(seconds),
      note: () => 'joined streams – compared with GraphQL subscribers of the same service',
    },
    {
      name: `memory of ${STREAMS} idle streams`,
      service: async () => sizeOf(await measured(), (url) => joinedStreams(url, target, () => {}, cleanup)),
      bare: async () => sizeOf(await measured(), (url) => subscribers(url, target, () => {}, cleanup)),
      note: () => 'idle streams – compared with sockets that have a subscription',
    },
    {
      name: `${ROOMS} joins after a reconnect`,
      service: async () => join2000(environment, await rooms()),
      bare: async () => readAll(environment, await rooms()),
      note: () => 'joins – compared with a look-up of each dialog over GraphQL, eight at a time',
    },
  ];
}

async function sizeOf(started: Started, open: (url: string) => Promise<void>): Promise<Figures> {
  const before = await memoryOf(started);
  await open(started.url);
  const after = await memoryOf(started);
  const of = (part: 'rss' | 'heapUsed') => (after[part] - before[part]) / STREAMS / KIB;
  return {
    'KiB of each': of('rss') - (after.young - before.young) / STREAMS / KIB,
    'KiB heap of each': of('heapUsed'),
  };
}

async function createRooms({ serviceUrl, people }: Environment): Promise<string[]> {
  const ids: string[] = [];
  await forEach(Array(ROOMS).keys(), 8, async (number) => {
    ids.push(await createGroup(serviceUrl, people.slice(0, 2), `bench room ${number}`));
  });
  return ids;
}

async function join2000({ serviceUrl, people }: Environment, rooms: string[]): Promise<Figures> {
  const socket = await openStream(serviceUrl, people[0]!);
  const begin = performance.now();
  const joined = untilFrame(socket, 'code="110"', rooms.length);
  for (const id of rooms) socket.send(joinOf(id, people[0]!));
  await joined;
  const ms = performance.now() - begin;
  socket.terminate();
  return { 'ms all': ms };
}

async function readAll({ serviceUrl, people }: Environment, rooms: string[]): Promise<Figures> {
  const begin = performance.now();
  await forEach(rooms.values(), 8, (id) =>
    call(`${serviceUrl}/graphql`, 200, {
      method: 'POST',
      headers: tokenHeader(people[0]!),
      json: { query: 'query ($id: ID!) { dialog(id: $id) { type } }', variables: { id } },
    }),
  );
  return { 'ms all': performance.now() - begin };
}
