import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { createDataDir, type Service, startService } from '../../support/app/service.ts';
import { until } from '../../support/clients/websocket.ts';
import { type CollectedSpan, type Collector, startCollector } from '../../support/fakes/collector.ts';

let collector: Collector;
let folder: Awaited<ReturnType<typeof createDataDir>>;
let service: Service;
let users: number[];

const KEY = { Authorization: 'ApiKey the-key' };

beforeAll(async () => {
  collector = await startCollector();
  folder = await createDataDir();
  service = await startService(folder.dataDir, {
    BOOTSTRAP_API_KEY: 'the-key',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=shop',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  });
  users = [await createUser('alice'), await createUser('bob')];
});

afterAll(async () => {
  await service.stop();
  await folder.remove();
  await collector.stop();
});

async function createUser(login: string): Promise<number> {
  const body = new URLSearchParams({ 'user[login]': login, 'user[password]': 'password-1' });
  const response = await fetch(`${service.url}/users.json`, { method: 'POST', headers: KEY, body });
  return ((await response.json()) as { user: { id: number } }).user.id;
}

function within(traceId: string, userId = users[0]!) {
  return { ...KEY, 'On-Behalf-Of': String(userId), traceparent: `00-${traceId}-00000000000000aa-01` };
}

let traces = 0;
const newTrace = () => (++traces).toString(16).padStart(32, 'a');

/** The spans of a trace once the named span exists and its request is complete. */
async function spansOf(traceId: string, last: string): Promise<CollectedSpan[]> {
  const own = () => collector.spans().filter((span) => span.traceId === traceId);
  await until(() => own().some(({ name }) => name === last));
  return own();
}

function pathTo(spans: CollectedSpan[], fits: (span: CollectedSpan) => boolean): string[] {
  const path: string[] = [];
  let span = spans.find(fits);
  while (span) {
    path.unshift(span.name);
    const { parentSpanId } = span;
    span = spans.find(({ spanId }) => spanId === parentSpanId);
  }
  return path;
}

const says = (text: string) => (span: CollectedSpan) => String(span.attributes['db.query.text']).includes(text);

function graphql(query: string, headers: Record<string, string>) {
  return fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ query }),
  });
}

test("a REST request has spans down to its SQL statements and continues the caller's trace", async () => {
  const traceId = newTrace();
  const body = new URLSearchParams({ recipient_id: String(users[1]), message: 'Lunch?' });
  const sent = await fetch(`${service.url}/chat/Message.json?note=x`, {
    method: 'POST',
    headers: within(traceId),
    body,
  });
  expect(sent.status).toBe(201);
  const spans = await spansOf(traceId, 'POST /chat/Message');
  expect(pathTo(spans, says('INSERT INTO messages'))).toEqual([
    'POST /chat/Message',
    'graphql mutation',
    'Mutation.sendMessage',
    'coalesced', // with other messages of the same API key, whose changes are audited
    'WITH',
  ]);
  const request = spans.find(({ name }) => name === 'POST /chat/Message')!;
  expect(request.parentSpanId).toBe('00000000000000aa');
  expect(request.attributes).toMatchObject({
    'service.name': 'atrium',
    'deployment.environment.name': 'test',
    'http.request.method': 'POST',
    'http.route': '/chat/Message',
    'http.response.status_code': 201,
    'atrium.request_id': sent.headers.get('x-request-id'),
  });
  expect(collector.headers()['x-tenant']).toBe('shop');
});

test('transactions and batched loads belong to the operation that caused them', async () => {
  const traceId = newTrace();
  const answer = await graphql(
    `mutation { createDialog(input: { type: GROUP, name: "Lunch", occupantIds: [${users[1]}] }) { id occupantIds } }`,
    within(traceId),
  );
  expect(((await answer.json()) as { errors?: unknown }).errors).toBeUndefined();
  const spans = await spansOf(traceId, 'POST /graphql');
  expect(pathTo(spans, says('COMMIT'))).toEqual([
    'POST /graphql',
    'graphql mutation',
    'Mutation.createDialog',
    'COMMIT',
  ]);
  // Nested fields are resolved within the operation, after its root field.
  for (const span of spans) {
    expect(pathTo(spans, ({ spanId }) => spanId === span.spanId)[0]).toBe('POST /graphql');
  }
});

test('spans of rejected operations have the error code, and spans of failed statements the SQL state', async () => {
  const traceId = newTrace();
  await graphql('{ message(id: "0123456789abcdef01234567") { id } }', within(traceId));
  const spans = await spansOf(traceId, 'POST /graphql');
  expect(spans.find(({ name }) => name === 'Query.message')!.attributes['error.type']).toBe('NOT_FOUND');
});

test('statements shared by several requests have their own trace, linked with each request', async () => {
  const ids = Array.from({ length: 8 }, newTrace);
  await Promise.all(
    ids.map((traceId) => {
      const body = new URLSearchParams({ recipient_id: String(users[1]), message: 'at once' });
      return fetch(`${service.url}/chat/Message.json`, { method: 'POST', headers: within(traceId), body });
    }),
  );
  for (const traceId of ids) await spansOf(traceId, 'POST /chat/Message');
  const shared = () => collector.spans().filter(({ name, links }) => name === 'coalesced' && links.length > 1);
  while (shared().length === 0) {
    const again = Array.from({ length: 8 }, () => graphql('{ me { id } }', within(newTrace())));
    await Promise.all(again);
  }
  const [one] = shared();
  expect(one!.parentSpanId).toBeUndefined();
  // The requests end and are exported after the statement.
  await until(() => {
    const everywhere = new Set(collector.spans().map(({ traceId }) => traceId));
    return one!.links.every(({ traceId }) => everywhere.has(traceId));
  });
  for (const { traceId } of one!.links) expect(traceId).not.toBe(one!.traceId);
  expect(collector.spans().some(({ parentSpanId }) => parentSpanId === one!.spanId)).toBe(true);
});

test('each operation of a socket and each delivered event is a trace', async () => {
  const client = createClient({
    url: `${service.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { ...KEY, 'On-Behalf-Of': String(users[1]) },
  });
  const receivedEvents = client.iterate({ query: 'subscription Heard { messageSent { message { text } } }' });
  const first = receivedEvents.next().then(() => true);
  const send = () =>
    fetch(`${service.url}/chat/Message.json`, {
      method: 'POST',
      headers: within(newTrace()),
      body: new URLSearchParams({ recipient_id: String(users[1]), message: 'Hello' }),
    });
  // Events are received only once the subscription has started.
  while (!(await Promise.race([first, send().then(() => false)])));
  const find = (name: string) => collector.spans().find((span) => span.name === name && !span.parentSpanId);
  await until(() => find('graphql subscription') !== undefined && find('live event') !== undefined);
  expect(find('graphql subscription')!.attributes).toMatchObject({
    'graphql.operation.name': 'Heard',
    'atrium.root_fields': 'messageSent',
  });
  const all = collector.spans();
  expect(pathTo(all, ({ name }) => name === 'Subscription.messageSent')).toEqual([
    'graphql subscription',
    'Subscription.messageSent',
  ]);
  await client.dispose();
});

test('background work has no trace: reading the stream, storing times, probes', async () => {
  await fetch(`${service.url}/readyz`);
  await fetch(`${service.url}/metrics`);
  await fetch(`${service.url}/healthz`);
  const traceId = newTrace();
  await fetch(`${service.url}/no/such/path`, { headers: within(traceId) });
  await spansOf(traceId, 'GET unknown');
  const roots = new Set(collector.spans().flatMap((span) => (span.parentSpanId ? [] : [span.name])));
  for (const name of roots) {
    expect(name).toMatch(/^(POST|graphql|coalesced|live event|job )/);
  }
});
