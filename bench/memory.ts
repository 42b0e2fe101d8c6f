import { join } from 'node:path';
import { call, createGroup, forEach, sendMessage, tokenHeader } from './calls.ts';
import type { Comparison, Figures } from './comparison.ts';
import type { Environment } from './environment.ts';
import { httpLoad } from './http-load.ts';
import { barePackages } from './packages.ts';
import { MEASURABLE, memoryOf } from './process-memory.ts';
import { type Started, startNode } from './processes.ts';
import { startService } from './service.ts';

const MESSAGES = 100;
const MB = 1024 * 1024;

export async function memory(environment: Environment): Promise<Comparison[]> {
  const { databaseUrl, folder, people, seconds, cleanup } = environment;
  const service = await startService({ databaseUrl, dataDir: join(folder, 'memory') }, cleanup, MEASURABLE);
  const bare = await startNode([...MEASURABLE, ...barePackages()], { env: { NODE_ENV: 'production' }, cleanup });
  const headers = tokenHeader(people[0]!);
  const dialogId = await createGroup(service.url, people, 'bench memory');
  await forEach(Array(MESSAGES).keys(), 8, (number) =>
    sendMessage(service.url, people[0]!, dialogId, `Message number ${number}`),
  );
  const path = `/chat/Message.json?chat_dialog_id=${dialogId}&limit=50&mark_as_read=0`;
  const page = await call(service.url + path, 200, { headers });
  const isRight = (body: string) => body === page;
  let idle: Figures | undefined;
  const waiting = async () => {
    idle ??= await measure(service);
    return idle;
  };
  return [
    { name: 'memory, idle', service: waiting, bare: () => measure(bare), note: () => NOTE },
    {
      name: 'memory after a load of lists',
      service: async () => {
        await httpLoad({ url: service.url + path, method: 'GET', headers, status: 200, isRight, seconds });
        return measure(service);
      },
      bare: waiting,
      note: () => NOTE,
    },
  ];
}

const NOTE =
  'memory – after a garbage collection; idle compared with `node` with the same packages, after a load compared with ' +
  'the same service before it, so that the ratios are those of memory';

async function measure(started: Started): Promise<Figures> {
  const { rss, heapUsed } = await memoryOf(started);
  return { 'MB resident': rss / MB, 'MB heap': heapUsed / MB };
}
