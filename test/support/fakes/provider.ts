import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Logger, pino } from 'pino';
import { onTestFinished } from 'vitest';
import { createIdentityVerifiers, type IdentityVerifiers } from '../../../src/gateways/identity.ts';
import { SAMPLE_TIME } from '../app/app.ts';
import { freePort } from '../app/redis.ts';

export interface Provider {
  url: string;
  /** Paths and queries of the requests. */
  asked: string[];
}

export type Answer = (request: IncomingMessage, response: ServerResponse, url: URL) => void;

/** A server on the loopback interface that acts as a provider until the test ends. */
export async function startProvider(answer: Answer): Promise<Provider> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url!);
    answer(request, response, new URL(request.url!, url));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url, asked };
}

export async function deadAddress(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}`;
}

export function answerJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

/** Failures of a provider, each of which must be rejected and logged. */
export const TROUBLES: [name: string, answer: Answer][] = [
  ['responds with 500', (_request, response) => answerJson(response, { id: '1' }, 500)],
  ['responds with 429', (_request, response) => answerJson(response, {}, 429)],
  ['responds with malformed JSON', (_request, response) => void response.end('{"data": {')],
  ['responds with an empty body', (_request, response) => void response.end()],
  ['responds without end', (_request, response) => endless(response)],
  ['closes the connection', (request) => void request.socket.destroy()],
  [
    'redirects',
    (_request, response) => void response.writeHead(302, { Location: 'http://169.254.169.254/latest' }).end(),
  ],
];

function endless(response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  const more = () => {
    while (!response.destroyed && response.write(' '.repeat(16 * 1024)));
  };
  response.on('drain', more);
  more();
}

export function loggedVerifiers(now = () => SAMPLE_TIME): { verifiers: IdentityVerifiers; logged: LogLine[] } {
  const logged: LogLine[] = [];
  const log: Logger = pino({ level: 'trace' }, { write: (line) => void logged.push(JSON.parse(line) as LogLine) });
  return { verifiers: createIdentityVerifiers({ now, log }), logged };
}

export interface LogLine {
  /** 40 for a warning. */
  level: number;
  msg: string;
  provider?: string;
  reason?: string;
}

export const WARNING = 40;
