import { beforeAll, expect, test } from 'vitest';
import { db } from '../../src/db/client.ts';
import type { Route } from '../../src/rest/http/route.ts';
import { routes } from '../../src/rest/index.ts';
import type { RequestExample } from '../../src/rest/openapi/docs/operation-docs.ts';
import { SAMPLES } from '../../src/rest/openapi/docs/samples.ts';
import { formPairs } from '../../src/rest/openapi/forms.ts';
import { operationOf, rulesOf } from '../../src/rest/operations.ts';
import { createBlob, upload, uploadFields } from './content.ts';
import { compiled, documented, responseOf } from './documented.ts';
import { says, startModel } from './model.ts';
import { apiKey, type Caller, createUser, nobody, onBehalfOf, openSession } from './users.ts';
import { FORM, JSON_TYPE, wire } from './wire.ts';
import { World } from './world.ts';

/** How bodies are sent. */
export type Encoding = 'json' | 'form';

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
