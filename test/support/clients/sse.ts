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
  const aborted = new AbortController();
  const response = await fetch(`${app.url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream', ...as.headers },
    body: JSON.stringify({ query, variables }),
    signal: aborted.signal,
  });
  const results: unknown[] = [];
  const read = async () => {
    let text = '';
    for await (const chunk of response.body!) {
      text += Buffer.from(chunk).toString();
      const events = text.split('\n\n');
      text = events.pop()!;
      for (const event of events) {
        const data = /^data: (.+)$/m.exec(event)?.[1];
        if (event.includes('event: next') && data) results.push(JSON.parse(data));
      }
    }
  };
  return {
    status: response.status,
    contentType: response.headers.get('content-type'),
    results,
    ended: read().catch(() => {}),
    abort: () => aborted.abort(),
  };
}
