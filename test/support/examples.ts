import { beforeAll, expect, test } from 'vitest';
import { db } from '../../src/db/client.ts';
import type { RequestExample } from '../../src/rest/docs/operation-docs.ts';
import { SAMPLES } from '../../src/rest/docs/samples.ts';
import { routes } from '../../src/rest/index.ts';
import { formPairs } from '../../src/rest/openapi/forms.ts';
import { operationOf, rulesOf } from '../../src/rest/operations.ts';
import type { Route } from '../../src/rest/route.ts';
import { createBlob, upload, uploadFields } from './content.ts';
import { compiled, documented, responseOf } from './documented.ts';
import { createAssistant, says, startModel } from './model.ts';
import { created } from './stage.ts';
import { apiKey, type Caller, createUser, nobody, onBehalfOf, openSession, type TestUser } from './users.ts';
import { FORM, JSON_TYPE, wire } from './wire.ts';

/** How bodies are sent. */
export type Encoding = 'json' | 'form';

/** What the examples speak of, as it is now. */
class World {
  alice!: TestUser;
  bob!: TestUser;
  /** Real values by those of the examples. */
  readonly values = new Map<string | number, string | number>();

  set(name: keyof typeof SAMPLES, value: string | number): void {
    this.values.set(SAMPLES[name], value);
  }

  async begin(): Promise<void> {
    const login = { login: 'alice', password: 'correct-horse' };
    const { user } = await created('/users', { user: { ...login, ...ALICE } }, apiKey);
    this.alice = { id: user.id, ...login, ...(await openSession(login)) };
    this.bob = await createUser({ phone: '4402079460001' });
    this.set('user', this.alice.id);
    this.set('friend', this.bob.id);
    await this.makeChat();
    await created('/class', { name: 'Cars', fields: CAR }, apiKey);
    await created('/class', { name: 'Trips', fields: { goal: 'String' } }, apiKey);
    await this.makeRecords();
    await this.makeBlob();
    this.set('assistant', await createAssistant({ url: 'http://127.0.0.1:1' }));
    const event = { environment: 'development', message: 'aGk=', push_type: 'gcm', user: { ids: [this.bob.id] } };
    const date = 1_900_000_000;
    this.set('event', (await created('/events', { event: { ...event, date } }, this.alice)).event.id);
    const device = { platform: 'ios', udid: 'u0' };
    const token = { environment: 'development', client_identification_sequence: 's0' };
    const { push_token } = await created('/push_tokens', { push_token: token, device }, this.alice);
    this.set('pushToken', push_token.id);
    const [{ subscription }] = await created('/subscriptions', { notification_channel: 'apns' }, this.alice);
    this.set('subscription', subscription.id);
    const place = { geo_data: { latitude: 51.5, longitude: -0.12 } };
    this.set('geodatum', (await created('/geodata', place, this.alice)).geo_datum.id);
  }

  async makeChat(): Promise<void> {
    const group = { type: 2, name: 'Lunch', occupants_ids: [this.bob.id] };
    for (const name of ['dialog', 'otherDialog'] as const) {
      this.set(name, (await created('/chat/Dialog', group, this.alice))._id);
    }
    for (const name of ['message', 'otherMessage'] as const) {
      const message = { chat_dialog_id: this.values.get(SAMPLES.dialog), message: 'Hello' };
      this.set(name, (await created('/chat/Message', message, this.alice))._id);
    }
  }

  async makeRecords(): Promise<void> {
    for (const name of ['record', 'otherRecord'] as const) {
      this.set(name, (await created('/data/Cars', { make: 'BMW', year: 2001, tags: ['a'] }, this.alice))._id);
    }
  }

  /** A public one, with bytes that are not completed. */
  async makeBlob(): Promise<void> {
    const blob = await createBlob(this.alice, { public: true });
    await upload(uploadFields(blob));
    this.set('blob', blob.id);
    this.set('uid', blob.uid);
  }

  /** With real values where the examples have theirs. */
  real<Value>(value: Value): Value {
    if (Array.isArray(value)) return value.map((item) => this.real(item)) as Value;
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, this.real(member)])) as Value;
    }
    if (typeof value !== 'string') return (this.values.get(value as number) ?? value) as Value;
    const parts = value.split(',').map((part) => this.values.get(part) ?? part);
    return (parts.length === 1 ? parts[0] : parts.join(',')) as Value;
  }
}

const ALICE = {
  email: 'alice@example.org',
  full_name: 'Alice Liddell',
  phone: '4402079460000',
  facebook_id: '100200',
  twitter_id: '300400',
  external_user_id: SAMPLES.externalUser,
  tag_list: 'reader,chess',
};
const CAR = { make: 'String', year: 'Integer', tags: 'String_a', photo: 'File' };

/** What has to be made before an operation, since others have undone it. */
const BEFORE: Record<string, (world: World) => Promise<void>> = {
  deleteDialogs: (world) => world.makeChat(),
  deleteDialog: (world) => world.makeChat(),
  deleteMessages: (world) => world.makeChat(),
  async removeReaction(world) {
    await world.makeChat();
    const { alice, values } = world;
    await wire('POST', `/chat/Message/${values.get(SAMPLES.message)}/reactions`, { as: alice, body: 'name=love' });
  },
  deleteRecords: (world) => world.makeRecords(),
  deleteRecord: (world) => world.makeRecords(),
};

/** Who calls an operation that takes its session, or its user, away. */
const CALLERS: Record<string, (world: World) => Promise<Caller>> = {
  loginUser: () => openSession(),
  logoutUser: ({ alice }) => openSession(alice),
  deleteSession: ({ alice }) => openSession(alice),
  async deleteUser(world) {
    const gone = await createUser();
    world.set('user', gone.id);
    return gone;
  },
};

/** The order in which the operations of a path make sense: what destroys comes last, and users the very last. */
function orderOf({ method, path }: Route): number {
  if (path === '/users/:id' || path === '/users/external/:externalUserId') return method === 'delete' ? 4 : 2;
  if (path === '/data/:class/by_criteria' && method === 'delete') return 1;
  if (path === '/blobs/:id/complete') return 0;
  if (method === 'delete') return 3;
  return method === 'post' ? 1 : 2;
}

/** A test for each example of the document: sent as it stands, it succeeds, and is answered as the document says. */
export function testExamples(encoding: Encoding): void {
  const world = new World();
  const rows = routes
    .map((route) => ({ route, order: orderOf(route) }))
    .sort((a, b) => a.order - b.order)
    .flatMap(({ route }) =>
      route.docs.examples.map((example, index) => ({
        name: `${route.method.toUpperCase()} ${route.path} ${example.summary ?? index + 1}`,
        route,
        example,
      })),
    );

  beforeAll(() => world.begin());

  test.each(rows)('$name', async ({ route, example }) => {
    const model = await startModel((response) => says(response, 'The model says.'));
    await db.assistant.updateMany({ data: { baseUrl: model.url } });
    const operationId = nameOf(route);
    await BEFORE[operationId]?.(world);
    const caller = (await CALLERS[operationId]?.(world)) ?? callerOf(route, world);
    const { path, query = {}, body } = world.real(example);
    const target = pathOf(route, path) + queryOf(query);
    const { operation } = documented(route.method, target)!;
    expect(operation.operationId).toBe(MERGED[operationId] ?? operationId);

    const { status } = await send(route, { target, caller, body, encoding, world });
    expect(status).toBe(route.docs.status ?? 200);
    expect(responseOf(operation, status)).toBeDefined();
  });
}

/** Operations that stand in the document with another one of the same path. */
const MERGED: Record<string, string> = { findBlobFile: 'findBlob', downloadBlobFileById: 'downloadBlobFile' };

interface Sending {
  target: string;
  caller: Caller;
  body: unknown;
  encoding: Encoding;
  world: World;
}

async function send(route: Route, { target, caller, body, encoding, world }: Sending): Promise<{ status: number }> {
  const method = route.method.toUpperCase();
  if (route.path === '/uploads') return upload(uploadFields(await createBlob(world.alice)));
  if (route.upload) return wire(method, target, { as: caller, ...multipart(body as Record<string, string>) });
  if (body === undefined) return wire(method, target, { as: caller });
  if (encoding === 'json') {
    const validate = compiled(route.docs.body!);
    expect(validate(body) ? [] : validate.errors).toEqual([]);
    return wire(method, target, {
      as: caller,
      headers: { 'Content-Type': JSON_TYPE },
      body: JSON.stringify(body),
    });
  }
  return wire(method, target, { as: caller, headers: { 'Content-Type': FORM }, body: formTextOf(body as object) });
}

function nameOf(route: Route): string {
  const { name } = operationOf(route);
  return route.docs.operationId ?? name.charAt(0).toLowerCase() + name.slice(1);
}

function callerOf(route: Route, { alice }: World): Caller {
  const { access } = rulesOf(route);
  if (access === 'key') return apiKey;
  return access === 'anyone' ? nobody : access === 'token' ? alice : access === 'user' ? onBehalfOf(alice) : alice;
}

function pathOf({ path }: Route, values: RequestExample['path'] = {}): string {
  return path.replace(/:(\w+)/g, (_match, name: string) => String(values[name]));
}

/** As the document says that each is written. */
function queryOf(query: Record<string, unknown>): string {
  const pairs = Object.entries(query).flatMap(([name, value]): [string, unknown][] => {
    if (!Array.isArray(value)) return formPairs(name, value);
    return name.endsWith('[]') ? value.map((item) => [name, item]) : [[name, value.join(',')]];
  });
  return pairs.length > 0 ? `?${encoded(pairs)}` : '';
}

function formTextOf(body: object): string {
  const pairs = Object.entries(body).flatMap(([name, value]) => formPairs(name, value));
  return encoded(
    pairs.flatMap(
      ([name, value]) =>
        (Array.isArray(value) ? value.map((item) => [name, item]) : [[name, value]]) as [string, unknown][],
    ),
  );
}

function encoded(pairs: [string, unknown][]): string {
  return new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();
}

function multipart(fields: Record<string, string>) {
  const part = (about: string, text: string) => `--B\r\nContent-Disposition: form-data; ${about}\r\n\r\n${text}\r\n`;
  const texts = Object.entries(fields).map(([name, text]) => part(`name="${name}"`, text));
  return {
    headers: { 'Content-Type': 'multipart/form-data; boundary=B' },
    body: `${texts.join('')}${part('name="file"; filename="x.txt"', 'hello')}--B--\r\n`,
  };
}
