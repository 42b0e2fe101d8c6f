import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { settingsOf } from './settings.ts';

export interface AppleSettings {
  key: string;
  cert: string;
}

// Accepts every push immediately, without network latency.
const { key, cert } = await settingsOf<AppleSettings>();
const server = http2.createSecureServer({ key, cert, settings: { maxConcurrentStreams: 1_000 } });
server.on('stream', (stream) => {
  stream.on('error', () => {});
  stream.resume();
  stream.on('end', () => {
    stream.respond({ ':status': 200 }, { endStream: true });
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`ready at https://127.0.0.1:${port}\n`);
});
