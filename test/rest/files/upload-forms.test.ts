import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { blobRoutes } from '../../../src/rest/blobs.ts';
import { errorList } from '../../../src/rest/errors.ts';
import { graphql } from '../../../src/rest/graphql.ts';
import { RestHandler } from '../../../src/rest/http/handler.ts';
import { type Route, route } from '../../../src/rest/http/route.ts';
import { Routing } from '../../../src/rest/http/routing.ts';
import { running, useApp } from '../../support/app/app.ts';
import { sql } from '../../support/app/sql.ts';
import { rawRequest } from '../../support/clients/raw-http.ts';
import { complete, createBlob, storedFiles, uploadFields } from '../../support/fixtures/blobs.ts';
import {
  anonymous,
  apiKey,
  type Caller,
  createUser,
  openSession,
  type TestUser,
} from '../../support/fixtures/users.ts';

// The upload handling of every endpoint, tested with dialogs, which ignore uploaded files.

useApp({ limits: { default: { quota: 1_000, windowSeconds: 3600 } } });

const CreateDialog = graphql(
  `mutation CreateDialog($input: CreateDialogInput!) { createDialog(input: $input) { id } }`,
);

let server: Server;
let alice: TestUser;
let received: unknown;
/** The first creates a dialog; the second is rejected because it has no occupants. */
let type: 'PUBLIC_GROUP' | 'GROUP';

const endpoint = route({
  method: 'post',
  path: '/files',
  upload: { maxBytes: 100_000 },
  document: CreateDialog,
  variables: (asked) => {
    received = asked.parameters;
    return { input: { type, name: 'Files' } };
  },
  present: () => ({ fine: true }),
  errors: errorList,
  docs: { tag: 'Content', summary: 'Of this test', description: 'Of this test', answer: {}, examples: [{}] },
});

/** The endpoint `/uploads`, which claims its file and then fails without an error text. */
const speechless: Route = {
  ...blobRoutes.find(({ path }) => path === '/uploads')!,
  respond: () => {
    throw new Error('no words');
  },
};

const wordless: Route = {
  ...endpoint,
  path: '/wordless',
  errors: () => {
    throw new Error('no words for an error');
  },
};

beforeAll(async () => {
  alice = await createUser();
  const routing = new Routing([
    { route: endpoint, rules: { field: 'uploaded', access: 'user', limit: 'default', scope: undefined } },
    { route: wordless, rules: { field: 'uploaded', access: 'user', limit: 'default', scope: undefined } },
    {
      route: { ...speechless, path: '/speechless' },
      rules: { field: 'uploaded', access: 'anyone', limit: 'default', scope: undefined },
    },
  ]);
  const transport = new RestHandler(running.app.services, ['SVC-Token'], routing);
  server = createServer((asked, response) => void transport.answer(asked, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(() => new Promise((resolve) => server.close(resolve)));

beforeEach(() => {
  type = 'PUBLIC_GROUP';
  received = undefined;
});

const BODY =
  '--B\r\nContent-Disposition: form-data; name="before"\r\n\r\n1\r\n' +
  '--B\r\nContent-Disposition: form-data; name="file"; filename="x.txt"\r\n\r\nbytes\r\n' +
  '--B\r\nContent-Disposition: form-data; name="after"\r\n\r\n2\r\n--B--\r\n';

async function post(as: Caller, body?: string, headers: Record<string, string> = {}, path = '/files') {
  const { port } = server.address() as AddressInfo;
  const length = { 'Content-Length': String(body?.length ?? 90_000) };
  const type = { 'Content-Type': 'multipart/form-data; boundary=B' };
  const sent = request({ port, method: 'POST', path, headers: { ...type, ...length, ...as.headers, ...headers } });
  sent.on('error', () => {});
  if (body === undefined) sent.flushHeaders();
  else sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const answer = { status: response.statusCode, text: await text(response) };
  sent.destroy();
  return answer;
}

const refusals: [string, () => Promise<Caller> | Caller, number, string][] = [
  ['without credential', () => anonymous, 401, '{"errors":["Token is required"]}'],
  [
    'with an expired session',
    () => ({ headers: { 'SVC-Token': 'x' } }),
    401,
    '{"errors":{"base":["Required session does not exist"]}}',
  ],
  ['with an application session', openSession, 422, '{"errors":{"base":["Forbidden. Need user."]}}'],
  ['with an API key alone', () => apiKey, 422, '{"errors":{"base":["Forbidden. Need user."]}}'],
];

test.each(refusals)('an upload %s is rejected before the body is sent', async (_who, caller, status, body) => {
  expect(await post(await caller())).toEqual({ status, text: body });
  expect(received).toBeUndefined();
});

test('an upload that is too large or exceeds the rate limit is rejected before the body is sent', async () => {
  expect(await post(alice, undefined, { 'Content-Length': '100001' })).toEqual({
    status: 413,
    text: '{"errors":["Request body is too large"]}',
  });
  const eager = await createUser();
  const { rateLimits } = running.app.services;
  const meter = rateLimits!.meter('192.0.2.1', {
    kind: 'user',
    applicationId: running.credentials.applicationId,
    catalogueVersion: 0,
    userId: eager.id,
  });
  for (let operation = 0; operation < 1_000; operation++) await meter.tally('default');
  expect(await post(eager)).toEqual({ status: 429, text: '{"errors":["Rate limit exceeded"]}' });
});

test('form fields before and after the file are parameters', async () => {
  expect(await post(alice, BODY)).toEqual({ status: 200, text: '{"fine":true}' });
  expect(received).toEqual({ before: '1', after: '2' });
});

test('on an XML path the token may be a query parameter', async () => {
  const answer = await post(anonymous, BODY, {}, `/files.xml?token=${alice.token}`);
  expect([answer.status, received]).toEqual([200, { before: '1', after: '2' }]);
});

test('a failed operation leaves nothing of its file', async () => {
  const [files, rows] = [await storedFiles(), await sql('SELECT * FROM unclaimed_files')];
  type = 'GROUP';
  expect((await post(alice, BODY)).status).toBe(422);
  expect([await storedFiles(), await sql('SELECT * FROM unclaimed_files')]).toEqual([files, rows]);
});

test('a failure while rendering an error responds 500, and the process continues', async () => {
  type = 'GROUP';
  expect(await post(alice, BODY, {}, '/wordless')).toEqual({
    status: 500,
    text: '{"errors":["Internal server error"]}',
  });
});

test('a body that breaks off after its file leaves nothing of it', async () => {
  const files = await storedFiles();
  expect((await post(alice, BODY.replace('--B--', '--'))).status).toBe(400);
  expect(received).toBeUndefined();
  expect(await storedFiles()).toEqual(files);
});

test('a claimed file remains even when sending the response fails', async () => {
  const files = await storedFiles();
  const blob = await createBlob(alice);
  const fields = Object.entries(uploadFields(blob)).map(
    ([field, value]) => `--B\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`,
  );
  const answer = await post(anonymous, fields.join('') + BODY, {}, '/speechless');
  expect(answer).toEqual({ status: 500, text: '{"errors":["Internal server error"]}' });
  expect(await storedFiles()).toHaveLength(files.length + 1);
  expect((await complete(alice, blob)).status).toBe(200);
  expect((await rawRequest('GET', `/blobs/${blob.uid}`, { as: alice })).text).toBe('bytes');
});
