import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { running, useApp } from '../../support/app/app.ts';
import { readMetrics } from '../../support/app/metrics.ts';
import { startAnother } from '../../support/app/other-apps.ts';
import { rawRequest } from '../../support/clients/raw-http.ts';
import { until } from '../../support/clients/websocket.ts';
import { createProxiedDatabase, type ProxiedDatabase } from '../../support/faults/proxied-database.ts';

let database: ProxiedDatabase;

useApp({
  database: async () => {
    database = await createProxiedDatabase();
    return database;
  },
});

afterEach(() => database.proxy.resume());

const statusOf = async (path: string) => (await rawRequest('GET', path)).status;

test('a service with a responding database is alive and ready, and the response is not cached', async () => {
  for (const path of ['/healthz', '/readyz']) {
    const { status, headers, text } = await rawRequest('GET', path);
    expect({ status, text, kept: headers['cache-control'] }).toEqual({ status: 200, text: 'ok\n', kept: 'no-store' });
  }
});

test('health and metrics are only read', async () => {
  for (const path of ['/healthz', '/readyz', '/metrics']) {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const { status, headers } = await rawRequest(method, path);
      expect([path, method, status, headers.allow]).toEqual([path, method, 405, 'GET, HEAD']);
    }
    expect((await rawRequest('HEAD', path)).status).toBe(200);
  }
});

test('a request with two Host headers is refused, because proxies may route by the other one', async () => {
  for (const path of ['/healthz', '/graphql', '/session.json', '/']) {
    for (const rest of ['', 'Connection: Upgrade\r\nUpgrade: websocket\r\n']) {
      const socket = connect(Number(new URL(running.url).port), '127.0.0.1');
      socket.end(`GET ${path} HTTP/1.1\r\nHost: a.example\r\nhost: b.example\r\n${rest}\r\n`);
      const [answer] = (await once(socket, 'data')) as [Buffer];
      expect([path, rest, String(answer).split('\r\n')[0]]).toEqual([path, rest, 'HTTP/1.1 400 Bad Request']);
      socket.destroy();
    }
  }
});

test('a hanging database makes the service not ready, also under many probes, and ready again when it recovers', async () => {
  await until(async () => (await statusOf('/readyz')) === 200);
  database.proxy.pause();
  // Pool connections lost in the database do not delay the response either.
  const lost = rawRequest('GET', '/session.json', { headers: { 'SVC-Token': '0000005c'.padEnd(40, '0') } });
  const answers = await Promise.all(Array.from({ length: 50 }, () => statusOf('/readyz')));
  expect(new Set(answers)).toEqual(new Set([503]));
  expect(await statusOf('/readyz')).toBe(503);
  expect(await statusOf('/healthz')).toBe(200);
  database.proxy.resume();
  await until(async () => (await statusOf('/readyz')) === 200);
  expect((await lost).status).toBe(401);
});

test('metrics are served while the database hangs, except those that require it', async () => {
  const ofDatabase = ['atrium_waiting_jobs{queue="push-deliver"}', 'atrium_unread_events{reader="pushes"}'];
  await until(async () => (await readMetrics()).has(ofDatabase[0]!));
  database.proxy.pause();
  const metrics = await readMetrics();
  expect(metrics.get('atrium_http_requests_total{method="GET",route="/healthz",status="200"}')).toBeGreaterThan(0);
  expect(metrics.has('process_cpu_seconds_total')).toBe(true);
  expect(metrics.has('nodejs_eventloop_lag_p99_seconds')).toBe(true);
  for (const name of [...ofDatabase, 'atrium_database_writable']) expect(metrics.has(name)).toBe(false);
  database.proxy.resume();
  await until(async () => (await readMetrics()).has(ofDatabase[0]!));
});

test('a stopping service responds not ready on remaining connections', async () => {
  const other = await startAnother();
  let isStopped = false;
  onTestFinished(async () => {
    if (!isStopped) await other.stop();
  });
  const { port } = new URL(other.url);
  const socket = connect(Number(port), '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    received += text;
  });
  // A request in flight keeps the connection open.
  socket.write(
    'GET /readyz HTTP/1.1\r\nHost: x\r\n\r\nPOST /session.json HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\na=',
  );
  await until(() => received.includes('ok\n'));
  const stopping = other.stop().then(() => {
    isStopped = true;
  });
  socket.write('bGET /readyz HTTP/1.1\r\nHost: x\r\n\r\n');
  await Promise.all([once(socket, 'close'), stopping]);
  expect(received.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 422', 'HTTP/1.1 503']);
});
