import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Of the service. */
const BACKLOG = 8_192;

/** Also exits when the parent process does. */
export async function settingsOf<Settings>(): Promise<Settings> {
  process.on('disconnect', () => process.exit());
  const [settings] = await once(process, 'message');
  return settings as Settings;
}

export function announce(server: Server, listenAt = 0): void {
  server.listen({ port: listenAt, host: '127.0.0.1', backlog: BACKLOG }, () => {
    const { port } = server.address() as AddressInfo;
    process.stdout.write(`ready at http://127.0.0.1:${port}\n`);
  });
}
