import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Also exits when the parent process does. */
export async function settingsOf<Settings>(): Promise<Settings> {
  process.on('disconnect', () => process.exit());
  const [settings] = await once(process, 'message');
  return settings as Settings;
}

export function announce(server: Server): void {
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    process.stdout.write(`ready at http://127.0.0.1:${port}\n`);
  });
}
