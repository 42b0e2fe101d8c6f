import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Comparison, Figures } from './comparison.ts';
import type { Environment } from './environment.ts';
import { MEASURABLE, memoryOf } from './process-memory.ts';
import { type Started, startNode } from './processes.ts';
import { maxSockets, socketUrl, startSeededSockets } from './seeded-sockets.ts';
import { startService } from './service.ts';
import { SubscriberProcesses } from './subscriber-processes.ts';

const MOST = 50_000;

/** Memory of each subscriber of a fresh process. */
export async function sockets(environment: Environment): Promise<Comparison[]> {
  const sockets = Math.min(MOST, maxSockets());
  const { databaseUrl, folder, cleanup, tokens, dialogId, messages } = await startSeededSockets(sockets, environment);
  const measure = async (started: Started, url: string, own: string[] | undefined): Promise<Figures> => {
    const settings = { url, tokens: own, sockets, dialogId };
    const subscribers = await SubscriberProcesses.start(settings, cleanup);
    const before = await memoryOf(started);
    if (own) await messages.whileSending([subscribers], () => subscribers.connect());
    else await subscribers.open();
    const after = await memoryOf(started);
    await Promise.all([subscribers.stop(), started.stop()]);
    const kilobytesOfEach = (bytes: number) => bytes / sockets / 1024;
    const resident = after.rss - before.rss;
    return {
      'KB of each': kilobytesOfEach(resident),
      // Any load makes it grow by a fixed amount.
      'KB of each without young generation': kilobytesOfEach(resident - (after.young - before.young)),
      'KB heap of each': kilobytesOfEach(after.heapUsed - before.heapUsed),
    };
  };
  const comparison = {
    name: `${sockets} idle subscribers`,
    service: async () => {
      const service = await startService({ databaseUrl, dataDir: join(folder, 'idle') }, cleanup, MEASURABLE);
      return measure(service, socketUrl(service.url), tokens);
    },
    bare: async () => {
      const idle = fileURLToPath(new URL('./bare/idle.mjs', import.meta.url));
      const bare = await startNode([...MEASURABLE, idle], { cleanup });
      return measure(bare, socketUrl(bare.url), undefined);
    },
  };
  return [comparison];
}
