import { setTimeout as pause } from 'node:timers/promises';

// Loaded into a server before anything else: tells its parent, when asked, how much memory is left after collecting
// what is garbage. Plain JavaScript, since a compiler in the process would leave room that sockets then seem not to take.
process.on('message', async (asked) => {
  if (asked !== 'memory') return;
  for (let round = 0; round < 4; round++) {
    globalThis.gc();
    await pause(250);
  }
  const { rss, heapUsed } = process.memoryUsage();
  process.send({ rss, heapUsed });
});
