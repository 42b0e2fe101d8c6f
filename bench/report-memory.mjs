import { setTimeout as pause } from 'node:timers/promises';
import { getHeapSpaceStatistics } from 'node:v8';

// Preloaded into a server. Plain JavaScript, because memory freed by a compiler would hide that of the sockets.
process.on('message', async (request) => {
  if (request !== 'memory') return;
  for (let round = 0; round < 4; round++) {
    globalThis.gc();
    await pause(250);
  }
  const { rss, heapUsed } = process.memoryUsage();
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space').physical_space_size;
  process.send({ rss, heapUsed, young });
});
