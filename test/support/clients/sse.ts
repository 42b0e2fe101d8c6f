import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { App } from '../../../src/server/lifecycle.ts';
import { running } from '../app/app.ts';
import type { Caller } from '../fixtures/users.ts';

export interface EventStream {
  status: number;
  contentType: string | null;
  /** Results so far. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into payloads of every shape
  results: any[];
  ended: Promise<void>;
  abort: () => void;
}

/** Subscribes with server-sent events, without waiting until the service has registered the subscription. */
export async function streamEvents(
  query: string,
  variables: Record<string, unknown>,
  as: Caller,
  app: App = running.app,
): Promise<EventStream> {
  // Not `fetch`, which sometimes leaves a stream that it has paused unread and open.
  const sent = request(`${app.url}/graphql`, {
    method: 'POST',
    agent: false,
    headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream', ...as.headers },
  });
  sent.end(JSON.stringify({ query, variables }));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  sent.on('error', () => {});
  const results: unknown[] = [];
  const read = async () => {
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) {
      text += chunk;
      const events = text.split('\n\n');
      text = events.pop()!;
      for (const event of events) {
        const data = /^data: (.+)$/m.exec(event)?.[1];
        if (event.includes('event: next') && data) results.push(JSON.parse(data));
      }
    }
  };
  return {
    status: response.statusCode!,
    contentType: response.headers['content-type'] ?? null,
    results,
    ended: read().catch(() => {}),
    abort: () => void sent.destroy(),
  };
}
