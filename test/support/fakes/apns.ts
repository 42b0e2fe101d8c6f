import { once } from 'node:events';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { exportPKCS8, generateKeyPair, jwtVerify } from 'jose';
import { generate } from 'selfsigned';
import type { ApnsSettings } from '../../../src/gateways/push/apns.ts';

export interface ApplePush {
  token: string;
  headers: Record<string, string>;
  body: unknown;
  /** Claims of the provider token, whose signature was valid. */
  claims: { iss: string; iat: number; kid: string };
}

export interface AppleAnswer {
  status: number;
  reason?: string;
  headers?: Record<string, string>;
  timestamp?: number;
}

export interface Apple {
  settings: ApnsSettings & { endpoint: string; ca: string };
  pushes: ApplePush[];
  /** The response to each push, 200 by default; `hang up` closes the connection. */
  answer: (push: ApplePush) => AppleAnswer | 'hang up';
  connections: () => number;
  down: () => Promise<void>;
  up: () => Promise<void>;
}

/** Starts fake APNs: an HTTP/2 server over TLS with its own certificate. */
export async function startApns(): Promise<Apple> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keySize: 2048,
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
    ],
  });
  const pair = await generateKeyPair('ES256', { extractable: true });
  const sessions = new Set<http2.ServerHttp2Session>();
  let connections = 0;
  let server: http2.Http2SecureServer;
  let port = 0;

  const up = async () => {
    server = http2.createSecureServer({ key, cert, settings: { maxConcurrentStreams: 500 } });
    server.on('session', (session) => {
      connections++;
      sessions.add(session);
      session.on('close', () => sessions.delete(session));
      session.on('error', () => {});
    });
    server.on('stream', (stream, headers) => {
      stream.on('error', () => {});
      void serve(stream, headers);
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  };
  const down = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const session of sessions) session.destroy();
    await closed;
  };

  const serve = async (stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders) => {
    let text = '';
    for await (const chunk of stream) text += chunk;
    const { payload, protectedHeader } = await jwtVerify(
      headers.authorization!.slice('bearer '.length),
      pair.publicKey,
      {
        currentDate: new Date(0),
      },
    );
    const push: ApplePush = {
      token: String(headers[':path']).replace('/3/device/', ''),
      headers: headers as Record<string, string>,
      body: JSON.parse(text),
      claims: { iss: payload.iss!, iat: payload.iat!, kid: protectedHeader.kid! },
    };
    apple.pushes.push(push);
    const answer = apple.answer(push);
    if (answer === 'hang up') {
      stream.session?.destroy();
      return;
    }
    if (stream.destroyed) return; // the client was killed while its token was verified
    const { status, reason, timestamp } = answer;
    stream.respond({ ':status': status, 'apns-id': headers['apns-id'], ...answer.headers });
    stream.end(reason ? JSON.stringify({ reason, timestamp }) : undefined);
  };

  await up();
  const apple: Apple = {
    settings: {
      topic: 'org.example.app',
      teamId: 'TEAM000001',
      keyId: 'KEY0000001',
      key: await exportPKCS8(pair.privateKey),
      endpoint: `https://127.0.0.1:${port}`,
      ca: cert,
    },
    pushes: [],
    answer: () => ({ status: 200 }),
    connections: () => connections,
    up,
    down,
  };
  return apple;
}
