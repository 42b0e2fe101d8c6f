import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { type NewAssistant, storeAssistant } from '../../../src/resolvers/ai/assistants.ts';
import { APPLICATION, running } from '../app/app.ts';

export interface Asked {
  path: string;
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into requests of every shape
  body: any;
}

export interface TestModel {
  /** Base URL of its API. */
  url: string;
  asked: Asked[];
  connections: () => number;
}

export type Reply = (response: ServerResponse, asked: Asked, nth: number) => unknown;

/** Starts a model on the loopback interface until the test ends. */
export async function startModel(reply: Reply): Promise<TestModel> {
  const asked: Asked[] = [];
  let connections = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const one = { path: request.url!, headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString()) };
    asked.push(one);
    await reply(response, one, asked.length);
  });
  server.on('connection', () => {
    connections++;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, asked, connections: () => connections };
}

export function says(response: ServerResponse, content: unknown, usage?: unknown): void {
  const body = { id: 'x', choices: [{ index: 0, message: { role: 'assistant', content } }], usage };
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

export const delta = (content: string) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;

export const DONE = 'data: [DONE]\n\n';

export function beginsStream(response: ServerResponse): ServerResponse {
  response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' }).flushHeaders();
  return response;
}

/** Creates an assistant as the operator does, which may use the loopback interface. */
export async function createAssistant(model: { url: string }, more: Partial<NewAssistant> = {}): Promise<string> {
  const { id } = await storeAssistant(
    { name: 'Helper', baseUrl: model.url, model: 'tiny', ...more, applicationId: APPLICATION.id, isTrusted: true },
    running.app.services,
  );
  return id;
}
