import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bytesOf } from './google.ts';

export interface BrowserPush {
  headers: IncomingHttpHeaders;
  path: string;
  text: string;
}

export interface Browser {
  /** The subscription as the browser sends it to the service, in JSON. */
  subscription: (name: string) => { endpoint: string; keys: { p256dh: string; auth: string } };
  pushes: BrowserPush[];
  answer: () => { status: number; headers?: Record<string, string> };
  stop: () => Promise<unknown>;
}

/** Starts a push service with one browser, which decrypts pushes (RFC 8188, 8291). */
export async function startBrowser(): Promise<Browser> {
  const own = createECDH('prime256v1');
  own.generateKeys();
  const auth = randomBytes(16);
  const server = createServer(async (request, response) => {
    const text = decrypt(await bytesOf(request));
    browser.pushes.push({ headers: request.headers, path: request.url!, text });
    const { status, headers } = browser.answer();
    response.writeHead(status, headers).end('the answer is nobody else’s');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  const decrypt = (body: Buffer): string => {
    const salt = body.subarray(0, 16);
    const idLength = body[20]!;
    const sender = body.subarray(21, 21 + idLength);
    const hidden = body.subarray(21 + idLength);
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), own.getPublicKey(), sender]);
    const shared = Buffer.from(hkdfSync('sha256', own.computeSecret(sender), auth, info, 32));
    const key = Buffer.from(hkdfSync('sha256', shared, salt, 'Content-Encoding: aes128gcm\0', 16));
    const nonce = Buffer.from(hkdfSync('sha256', shared, salt, 'Content-Encoding: nonce\0', 12));
    const decipher = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(hidden.subarray(-16));
    const plain = Buffer.concat([decipher.update(hidden.subarray(0, -16)), decipher.final()]);
    return plain.subarray(0, plain.lastIndexOf(2)).toString('utf8');
  };

  const browser: Browser = {
    subscription: (name) => ({
      endpoint: `http://127.0.0.1:${port}/send/${name}`,
      keys: { p256dh: own.getPublicKey('base64url'), auth: auth.toString('base64url') },
    }),
    pushes: [],
    answer: () => ({ status: 201 }),
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
  return browser;
}
