import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { sign } from '../../../src/lib/signature.ts';
import { type OwnDatabase, startOwnDatabase } from '../../support/app/postgres-server.ts';
import { createDataDir, type Service, startService } from '../../support/app/service.ts';
import { until } from '../../support/clients/websocket.ts';
import { type Collector, startCollector } from '../../support/fakes/collector.ts';

/** Secrets that no log line, metric or span may contain, by the place where the test sends them. */
const SECRETS: Record<string, string> = {};

function secret(place: string): string {
  const text = `zq${place.replace(/\W/g, '')}${Math.random().toString(36).slice(2, 12)}`;
  SECRETS[place] = text;
  return text;
}

const API_KEY = secret('API key');
const AUTH_SECRET = secret('auth secret');
const PASSWORD = secret('password');

let collector: Collector;
let database: OwnDatabase;
let folder: Awaited<ReturnType<typeof createDataDir>>;
let service: Service;
/** Start of the checked log: the first start prints the credentials of the first application once, deliberately. */
let begin: number;

beforeAll(async () => {
  collector = await startCollector();
  database = await startOwnDatabase();
  folder = await createDataDir();
  service = await startService(folder.dataDir, {
    LOG_LEVEL: 'trace',
    DATABASE_URL: database.url,
    TOKEN_HEADERS: 'SVC-Token,X-Other-Token',
    BOOTSTRAP_AUTH_KEY: 'AUTHKEY',
    BOOTSTRAP_AUTH_SECRET: AUTH_SECRET,
    BOOTSTRAP_API_KEY: API_KEY,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces`,
    OTEL_BSP_SCHEDULE_DELAY: '50',
  });
  begin = service.output().length;
  await breakUsers();
});

afterAll(async () => {
  await service.stop();
  await database.drop();
  await folder.remove();
  await collector.stop();
});

/** Makes PostgreSQL raise errors that repeat stored values for users with certain names. */
async function breakUsers(): Promise<void> {
  const client = new pg.Client(database.config);
  await client.connect();
  await client.query(`
    ALTER TABLE users ADD CONSTRAINT no_row CHECK (website IS DISTINCT FROM 'http://row.example');
    CREATE FUNCTION complain() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NEW.website = 'http://cast.example' THEN PERFORM NEW.full_name::int; END IF;
      IF NEW.website = 'http://mail.example' THEN RAISE EXCEPTION 'no mail to % please', NEW.email; END IF;
      IF NEW.website = 'http://key.example' THEN
        RAISE unique_violation USING MESSAGE = 'token=' || NEW.full_name, DETAIL = 'Key (name)=(' || NEW.full_name || ')';
      END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER complain BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION complain()`);
  await client.end();
}

const asKey = { Authorization: `ApiKey ${API_KEY}` };

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  form?: Record<string, string>;
  json?: unknown;
}

async function call(path: string, { method, headers = {}, form, json }: Sent = {}) {
  const body = json === undefined ? form && new URLSearchParams(form) : JSON.stringify(json);
  const type: Record<string, string> = json === undefined ? {} : { 'Content-Type': 'application/json' };
  const response = await fetch(service.url + path, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { ...type, ...headers },
    body,
  });
  const text = await response.text();
  return { status: response.status, text, id: response.headers.get('x-request-id') };
}

let nonce = 1;

function signed(user: Record<string, string>): Record<string, string> {
  const parameters: Record<string, string> = {
    application_id: '1',
    auth_key: 'AUTHKEY',
    nonce: String(nonce++),
    timestamp: String(Math.floor(Date.now() / 1000)),
    ...user,
  };
  const signature = sign(Object.entries(parameters), AUTH_SECRET, 'sha1');
  SECRETS[`signature ${nonce}`] = signature;
  return { ...parameters, signature };
}

const NEW_USER = { 'user[login]': 'alice', 'user[password]': PASSWORD };

async function lineOf(id: string | null): Promise<Record<string, unknown>> {
  const find = () =>
    linesOfLog().find(({ requestId, msg }) => requestId === id && msg === 'request') as Record<string, unknown>;
  await until(() => find() !== undefined);
  return find();
}

function linesOfLog(): Record<string, unknown>[] {
  const text = service.output().slice(begin);
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
}

test('credentials and personal data are sent through every transport', async () => {
  expect((await call('/users.json', { headers: asKey, form: NEW_USER })).status).toBe(201);
  const session = await call('/session.json', {
    form: signed({ 'user[login]': 'alice', 'user[password]': PASSWORD }),
  });
  expect(session.status).toBe(201);
  const { token } = JSON.parse(session.text).session;
  SECRETS['session token'] = token;
  const asAlice = { 'SVC-Token': token };

  const requests: [path: string, sent: Sent, status: number][] = [
    ['/session.json', { headers: asAlice }, 200],
    ['/session.json', { headers: { 'x-other-token': token } }, 200],
    ['/session.json', { headers: { 'SVC-Token': secret('wrong token') } }, 401],
    ['/session.json', { headers: { Authorization: `ApiKey ${secret('wrong key')}` } }, 401],
    ['/session.json', { headers: { Authorization: `Bearer ${secret('bearer')}` } }, 401],
    [`/users.xml?token=${token}`, { headers: {} }, 200],
    [`/users.xml?token=${secret('wrong token of a query')}`, { headers: {} }, 401],
    ['/session.json', { form: { ...signed({}), signature: secret('wrong signature') } }, 422],
    [`/session.json?signature=${secret('signature of a query')}`, { method: 'POST' }, 422],
    ['/login.json', { headers: asAlice, form: { login: 'alice', password: secret('wrong password') } }, 401],
    ['/login.json', { headers: asAlice, form: { provider: 'facebook', 'keys[token]': secret('provider token') } }, 422],
    [`/users/password/reset?email=${secret('mail of a reset')}@example.org`, { headers: asAlice }, 404],
    [`/users/by_email.json?email=${secret('mail of a look-up')}@example.org`, { headers: asAlice }, 404],
    [`/reset-password?reset_token=${secret('reset token')}`, {}, 200],
    ['/reset-password', { form: { reset_token: secret('posted reset token'), password: secret('new password') } }, 422],
    [`/nothing/${secret('unknown path')}?token=${secret('unknown query')}`, { headers: asAlice }, 404],
    [`/%E0%A4%A${secret('undecodable path')}`, {}, 404],
    ['/chat/Message.json', { headers: asAlice, json: { message: secret('message'), recipient_id: 'x' } }, 404],
    ['/chat/Message.json', { headers: { ...asAlice, 'X-Request-Id': `id=${secret('bad request id')}` } }, 404],
    ['/users.json', { headers: asKey, json: { user: { login: 'x', password: secret('short user password') } } }, 422],
  ];
  for (const [path, sent, status] of requests) {
    const answer = await call(path, sent);
    expect([path, answer.status, answer.text]).toEqual([path, status, expect.anything()]);
    await lineOf(answer.id);
  }

  const query = 'mutation ($input: LoginInput!) { login(input: $input) { userId } }';
  const operations: unknown[] = [
    { query, variables: { input: { login: 'alice', password: secret('variable') } } },
    { query, variables: { input: { login: 'alice', password: [secret('variable of a wrong type')] } } },
    { query: `mutation { login(input: { login: "alice", password: "${secret('literal')}" }) { userId } }` },
    { query: `{ nothing(token: "${secret('literal of a wrong document')}") }` },
    { query: `{ users(filter: { email: { eq: "${secret('mail')}@example.org" } }, first: 1) { totalCount } }` },
    { query: secret('no document') },
  ];
  for (const json of operations) {
    const answer = await call('/graphql', { headers: asAlice, json });
    await lineOf(answer.id);
  }
  await call(`/graphql?query={me{id}}&token=${secret('token of GraphQL')}`, { headers: asAlice });

  await onSocket({ 'SVC-Token': secret('wrong token of a socket') }, []);
  await onSocket({ Authorization: `ApiKey ${API_KEY}`, 'On-Behalf-Of': '1' }, operations);
});

test.each([
  ['a cast', 'cast'],
  ['a row', 'row'],
  ['a mail address', 'mail'],
  ['a unique value', 'key'],
])('an error that repeats stored values is logged without them: %s', async (_name, website) => {
  const user = {
    login: secret(`login ${website}`),
    password: secret(`password ${website}`),
    email: `${secret(`mail ${website}`)}@example.org`,
    full_name: secret(`name ${website}`),
    website: `http://${website}.example`,
  };
  const rest = await call('/users.json', { headers: asKey, json: { user } });
  const { full_name: fullName, ...others } = user;
  const query = 'mutation ($input: CreateUserInput!) { createUser(input: $input) { id } }';
  const graphql = await call('/graphql', {
    headers: asKey,
    json: { query, variables: { input: { ...others, login: `${user.login}2`, fullName } } },
  });
  expect([rest.status, (await lineOf(rest.id)).level]).toEqual([500, 50]);
  expect(JSON.parse(graphql.text).errors[0].extensions.code).toBe('INTERNAL_SERVER_ERROR');
  for (const { id } of [rest, graphql]) {
    await lineOf(id);
    const own = linesOfLog().filter(({ requestId }) => requestId === id);
    expect(own).toContainEqual(
      expect.objectContaining({
        level: 50,
        msg: 'a resolver failed',
        err: expect.objectContaining({ type: expect.stringMatching(/Error/), stack: expect.any(String) }),
      }),
    );
  }
});

test('no secret is in a log line, a metric or a span', async () => {
  const metrics = await call('/metrics');
  expect(metrics.text).toContain('atrium_http_requests_total{');
  await until(() => collector.spans().some(({ name }) => name === 'Mutation.createUser'));
  expect(await service.stop()).toBe(0); // so that all spans are sent
  const log = service.output().slice(begin);
  expect(linesOfLog().length).toBeGreaterThan(40);
  expect(Object.keys(SECRETS).length).toBeGreaterThan(40);
  const found = Object.entries(SECRETS).flatMap(([place, text]) =>
    Object.entries({ log, metrics: metrics.text, spans: collector.text() })
      .filter(([, notified]) => notified.toLowerCase().includes(text.toLowerCase()))
      .map(([where]) => `${place}: ${where}`),
  );
  expect(found).toEqual([]);
});

/** Runs operations on a socket opened with these credentials until it closes or all have responses. */
async function onSocket(credentials: Record<string, string>, operations: unknown[]): Promise<void> {
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  let answered = 0;
  await new Promise<void>((resolve) => {
    socket.on('open', () => socket.send(JSON.stringify({ type: 'connection_init', payload: credentials })));
    socket.on('close', () => resolve());
    socket.on('message', (data) => {
      const { type } = JSON.parse(String(data));
      if (type === 'connection_ack') {
        for (const [id, payload] of operations.entries()) {
          socket.send(JSON.stringify({ id: `${secret(`id ${id}`)}`, type: 'subscribe', payload }));
        }
      }
      if (type === 'next' || type === 'error') answered++;
      if (answered === operations.length && answered > 0) socket.close();
    });
  });
}
