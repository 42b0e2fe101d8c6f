import { createServer, connect as dial, type Socket } from 'node:net';
import pg from 'pg';
import { createDatabase, type TestDatabase } from './database.ts';

/** A database behind a wire that can swallow whatever goes through it: nothing is refused, and nothing comes back. */
export interface StuckDatabase extends TestDatabase {
  stick: () => void;
  release: () => void;
}

export async function createStuckDatabase(): Promise<StuckDatabase> {
  const { config, drop } = await createDatabase();
  const { host, port, user, password, database } = new pg.Client(config);
  const pairs = new Set<[Socket, Socket]>();
  let isStuck = false;
  const server = createServer((near) => {
    const far = host.startsWith('/') ? dial(`${host}/.s.PGSQL.${port}`) : dial(port, host);
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (bytes) => to.write(bytes));
      from.on('error', () => {});
      from.on('close', () => {
        pairs.delete(pair);
        to.destroy();
      });
    }
    if (isStuck) hold(pair);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: ours } = server.address() as { port: number };
  return {
    config: { host: '127.0.0.1', port: ours, user, password: String(password ?? ''), database },
    stick: () => {
      isStuck = true;
      for (const pair of pairs) hold(pair);
    },
    release: () => {
      isStuck = false;
      for (const pair of pairs) for (const socket of pair) socket.resume();
    },
    drop: async () => {
      server.close();
      for (const pair of pairs) for (const socket of pair) socket.destroy();
      await drop();
    },
  };
}

function hold(pair: [Socket, Socket]): void {
  for (const socket of pair) socket.pause();
}
