import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';

export interface SilentPeer {
  port: number;
  connections: () => number;
  stop: () => Promise<unknown>;
}

/** Starts a server on the loopback interface that accepts connections and never responds. */
export async function startSilentPeer(): Promise<SilentPeer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  };
  return { port: (server.address() as AddressInfo).port, connections: () => connections, stop };
}
