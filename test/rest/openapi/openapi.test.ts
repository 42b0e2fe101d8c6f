import { connect } from 'node:net';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { USER_LENGTHS } from '../../../src/resolvers/users/rules.ts';
import { routes } from '../../../src/rest/index.ts';
import { openApiDocument } from '../../../src/rest/openapi/document.ts';
import type { OpenApiDocument, Operation } from '../../../src/rest/openapi/types.ts';
import { running, useApp } from '../../support/app/app.ts';
import { ajv, compiled, expectDocumented, testDocument } from '../../support/clients/openapi.ts';
import { rawRequest } from '../../support/clients/raw-http.ts';
import { ENDPOINTS } from '../../support/fixtures/endpoints.ts';

useApp({ publicUrl: 'https://api.example.org/base', tokenHeaders: ['SVC-Token', 'Old-Token'] });

function operations({ paths }: OpenApiDocument): { method: string; path: string; operation: Operation }[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

const OTHER_NAMES: Record<string, string> = { downloadBlobFile: 'findBlobFile' };

/** `/users/{id}` → `/users/{}` */
const shapeOf = (path: string) => path.replaceAll(/\{\w+\}/g, '{}');

async function served(): Promise<OpenApiDocument> {
  // The tests process the document for longer than the service keeps idle connections open.
  return JSON.parse((await rawRequest('GET', '/openapi.json', { headers: { Connection: 'close' } })).text);
}

describe('the OpenAPI document', () => {
  test('the document is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    const result = await validator.validate((await served()) as unknown as Record<string, unknown>);
    expect(result).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  test('the document contains the URL and the token headers of this service', async () => {
    const document = await served();
    expect(document.servers).toEqual([{ url: 'https://api.example.org/base' }]);
    expect(document.components.securitySchemes).toMatchObject({
      sessionToken: { in: 'header', name: 'SVC-Token' },
      sessionToken2: { in: 'header', name: 'Old-Token' },
    });
    expect(document.paths['/session']!.get!.security).toEqual([{ sessionToken: [] }, { sessionToken2: [] }]);
    const { headers } = document.paths['/session']!.get!.responses[200] as { headers: object };
    expect(Object.keys(headers)).toEqual(
      expect.arrayContaining(['SVC-Token-ExpirationDate', 'Old-Token-ExpirationDate']),
    );
  });

  test.each(ENDPOINTS)('the document contains %s %s', (method, path, status, name) => {
    const found = operations(testDocument()).filter(
      (one) => one.method === method && shapeOf(one.path) === shapeOf(path),
    );
    expect(found).toHaveLength(1);
    const { operation } = found[0]!;
    expect(Object.keys(operation.responses)).toContain(String(status));
    const [, second] = /\(`(\w+)`\)/.exec(operation.description) ?? [];
    expect([operation.operationId, second, OTHER_NAMES[operation.operationId]]).toContain(name);
  });

  test('the document contains no other operations', () => {
    const known = new Set(ENDPOINTS.map(([method, path]) => `${method} ${shapeOf(path)}`));
    const others = operations(testDocument()).filter(({ method, path }) => !known.has(`${method} ${shapeOf(path)}`));
    expect(others).toEqual([]);
  });

  test('every operation has a summary, an example, a success response and error responses', () => {
    const described = operations(testDocument());
    expect(described).toHaveLength(routes.length - 2);
    expect(new Set(described.map(({ operation }) => operation.operationId)).size).toBe(described.length);
    for (const { operation } of described) {
      expect(operation.summary).not.toBe('');
      expect(operation.description).not.toBe('');
      const statuses = Object.keys(operation.responses);
      expect(statuses.some((status) => /^20[01]$/.test(status))).toBe(true);
      expect(statuses).toEqual(expect.arrayContaining(['400', '413', '415', '429', '500', '503']));
      for (const parameter of operation.parameters.filter((one) => one.in === 'path' || one.required)) {
        expect(parameter.example, `${operation.operationId} ${parameter.name}`).toBeDefined();
      }
      for (const media of Object.values(operation.requestBody?.content ?? {})) {
        if (operation.requestBody!.content['multipart/form-data']) continue;
        expect(Object.keys(media.examples!)).not.toEqual([]);
      }
    }
  });

  test('the examples match their schemas', () => {
    for (const { operation } of operations(testDocument())) {
      for (const [type, { schema, examples = {} }] of Object.entries(operation.requestBody?.content ?? {})) {
        if (type !== 'application/json') continue;
        const validate = compiled(schema);
        for (const { value } of Object.values(examples)) {
          expect(validate(value), `${operation.operationId}: ${ajv().errorsText(validate.errors)}`).toBe(true);
        }
      }
      for (const response of Object.values(operation.responses)) {
        if ('$ref' in response) continue;
        const { schema, examples = {} } = response.content?.['application/json'] ?? { schema: {} };
        const validate = compiled(schema);
        for (const { value } of Object.values(examples)) {
          expect(validate(value), `${operation.operationId}: ${ajv().errorsText(validate.errors)}`).toBe(true);
        }
      }
    }
  });

  test('the document contains the limits of the code', () => {
    const { schema } = testDocument().paths['/users']!.post!.requestBody!.content['application/x-www-form-urlencoded']!;
    expect((schema.properties as Record<string, object>)['user[login]']).toMatchObject({
      minLength: USER_LENGTHS.login.min,
      maxLength: USER_LENGTHS.login.max,
      description: expect.stringContaining('unique'),
    });
  });

  test('the document is the same each time it is generated', () => {
    expect(JSON.stringify(openApiDocument('http://a', ['T']))).toBe(JSON.stringify(openApiDocument('http://a', ['T'])));
  });
});

describe('the response check of all REST tests', () => {
  const json = (status: number, body: unknown) => ({
    status,
    contentType: 'application/json; charset=utf-8',
    text: JSON.stringify(body),
  });

  test.each([
    ['an undocumented status', 'GET', '/session', json(402, { errors: ['Pay'] })],
    [
      'an additional member',
      'GET',
      '/chat/Dialog/x/notifications',
      json(200, { notifications: { enabled: 1, more: 1 } }),
    ],
    ['a missing member', 'GET', '/account_settings', json(200, { account_id: 1 })],
    ['a wrong type', 'POST', '/ai/ai_extensions/ai_summarize', json(200, { summary: null })],
    ['an error of another form', 'GET', '/class.json', json(401, { errors: 'Token is required' })],
    ['a body where none is documented', 'DELETE', '/session', json(200, {})],
    ['a missing body', 'GET', '/session', { status: 200, contentType: undefined, text: '' }],
  ])('the response check rejects %s', (_name, method, path, answer) => {
    expect(() => expectDocumented(method, path, answer)).toThrow(path.replace('.json', ''));
  });
});

describe('/docs', () => {
  const FILES: [path: string, type: string, holds: string][] = [
    ['/docs', 'text/html; charset=utf-8', 'src="docs/page.js"'],
    ['/docs/', 'text/html; charset=utf-8', 'src="page.js"'],
    ['/docs/page.js', 'text/javascript; charset=utf-8', 'validatorUrl: null'],
    ['/docs/page.css', 'text/css; charset=utf-8', 'body'],
    ['/docs/swagger-ui.css', 'text/css; charset=utf-8', '.swagger-ui'],
    ['/docs/swagger-ui-bundle.js', 'text/javascript; charset=utf-8', 'SwaggerUIBundle'],
    ['/openapi.json', 'application/json; charset=utf-8', '"openapi":"3.1.1"'],
  ];

  test.each(FILES)('/docs serves %s', async (path, type, holds) => {
    const { status, headers, text } = await rawRequest('GET', path);
    expect(status).toBe(200);
    expect(text).toContain(holds);
    expect(headers).toMatchObject({
      'content-type': type,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache',
      vary: 'Accept-Encoding',
      etag: expect.stringMatching(/^W\/"[\w-]{22}"$/),
    });
    expect(headers['content-encoding']).toBeUndefined();

    const head = await rawRequest('HEAD', path);
    expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', headers['content-length']]);
    const again = await rawRequest('GET', path, { headers: { 'If-None-Match': headers.etag! } });
    expect([again.status, again.text]).toEqual([304, '']);
    for (const [accepted, used] of [
      ['gzip, deflate, br', 'br'],
      ['gzip, deflate', 'gzip'],
      ['gzip, br;q=0', 'gzip'],
    ] as const) {
      const compressed = await fetch(running.url + path, { headers: { 'Accept-Encoding': accepted } });
      expect(compressed.headers.get('content-encoding')).toBe(used);
      expect(await compressed.text()).toBe(text);
    }
  });

  test('/docs runs only its own scripts and connects only to its own server', async () => {
    const { headers, text } = await rawRequest('GET', '/docs');
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; " +
        "connect-src 'self' https://api.example.org; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(headers).toMatchObject({ 'x-frame-options': 'DENY', 'referrer-policy': 'no-referrer' });
    expect(text).not.toMatch(/<script>|<script [^>]*>[^<]|style=|https?:/);
  });

  test.each([
    '/docs/../package.json',
    '/docs/%2e%2e/package.json',
    '/docs/..%2fpackage.json',
    '/docs//etc/passwd',
    '/docs/index.html',
    '/docs/swagger-ui.js',
    '/docs/package.json',
    '/docs/constructor',
    '/docs/__proto__',
    '/openapi.json/',
    '/openapi.yaml',
    '/Docs',
  ])('/docs responds 404 to %s', async (path) => {
    const { status, text } = await rawRequest('GET', path);
    expect([status, text]).toEqual([404, `{"errors":["The resource wasn't found"]}`]);
  });

  test.each(['POST', 'PUT', 'DELETE'])('/docs rejects the method %s', async (method) => {
    const { status } = await rawRequest(method, '/docs');
    expect(status).toBe(404);
  });

  test('the server does not normalize dot segments, so the paths above reach it unchanged', async () => {
    const answer = await new Promise<string>((resolve, reject) => {
      const { hostname, port } = new URL(running.url);
      const socket = connect(Number(port), hostname, () => {
        socket.end('GET /docs/../openapi.json HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
      });
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('end', () => resolve(text));
      socket.on('error', reject);
    });
    expect(answer).toMatch(/^HTTP\/1.1 404 /);
  });
});
