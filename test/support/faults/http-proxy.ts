import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** The fate of a request: forwarded, 429, 503, cut before or within the response, or never answered. */
export type Fault = 'none' | 'tooMany' | 'unavailable' | 'cut' | 'half' | 'silence';

export interface FaultyProxy {
  url: string;
  paths: string[];
  faults: Fault[];
}

/** Starts an HTTP proxy that applies a fault to each request. @param faultOf the nth request, from 0 */
export async function startFaultyProxy(
  target: () => string,
  faultOf: (nth: number, path: string) => Fault,
): Promise<FaultyProxy> {
  const proxy: FaultyProxy = { url: '', paths: [], faults: [] };
  const server = createServer((asked, answer) => {
    const fault = faultOf(proxy.paths.length, asked.url!);
    proxy.paths.push(asked.url!);
    proxy.faults.push(fault);
    if (fault === 'tooMany') return void answer.writeHead(429, { 'Retry-After': '0' }).end('{"errors":["slowly"]}');
    if (fault === 'unavailable') return void answer.writeHead(503).end('<html>');
    if (fault === 'silence') return;
    if (fault === 'cut') return void asked.socket.destroy();
    const { host: _host, ...headers } = asked.headers;
    const passed = request(target() + asked.url, { method: asked.method!, headers }, (found) => {
      answer.writeHead(found.statusCode!, { ...found.headers, RateLimit: '"default";r=0;t=0' });
      if (fault !== 'half') return void found.pipe(answer);
      found.once('data', (part: Buffer) => {
        answer.write(part.subarray(0, 5), () => asked.socket.destroy());
      });
    });
    passed.on('error', () => asked.socket.destroy());
    asked.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return proxy;
}
