import { getIntrospectionQuery } from 'graphql';
import { describe, expect, test } from 'vitest';
import { running, useApp } from '../../support/app/app.ts';
import { createTenant } from '../../support/app/other-apps.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { streamEvents } from '../../support/clients/sse.ts';
import { codeOf, GRAPHQL_TRANSPORTS } from '../../support/clients/transports.ts';
import { connect } from '../../support/clients/websocket.ts';
import { createDialog, MESSAGE_SENT, quickUsers } from '../../support/fixtures/chat.ts';
import { defineClass } from '../../support/fixtures/typed-classes.ts';
import { anonymous, apiKey } from '../../support/fixtures/users.ts';

useApp();

const repeat = (count: number, part: (nth: number) => string): string =>
  Array.from({ length: count }, (_, nth) => part(nth)).join(' ');

const nested = (depth: number) => `${'ofType { '.repeat(depth - 2)}name${' }'.repeat(depth - 2)}`;

describe('#2 a WebSocket bypasses no check', () => {
  test('a socket enforces the document limits, access rules and size limit of HTTP', async () => {
    const [alice] = await quickUsers(1);
    const socket = await connect(alice!);
    const refused = [
      `{ me { ${repeat(51, (nth) => `a${nth}: id`)} } }`,
      `{ __type(name: "User") { ${nested(13)} } }`,
      `{ ${repeat(51, () => '__typename')} }`,
      '{ nothing }',
    ];
    for (const document of refused) {
      expect([document, codeOf(await graphql(document, {}, alice))]).toEqual([document, 'BAD_USER_INPUT']);
      expect([document, codeOf(await socket.run(document))]).toEqual([document, 'BAD_USER_INPUT']);
    }
    expect(codeOf(await socket.run('{ classes { name } }'))).toBe('FORBIDDEN');
    const frame = JSON.stringify({ type: 'ping', payload: { x: 'x'.repeat(1024 * 1024) } });
    socket.socket.send(frame);
    expect((await socket.closed).code).toBe(1009);
  });
});

describe('#5 alias and batch amplification', () => {
  test('aliases, root fields, cost and batches are limited on both transports', async () => {
    const [alice] = await quickUsers(1);
    const page = `first: 100) { edges { node { id text readIds deliveredIds sender { id login } } } }`;
    const refused = [
      `{ me { ${repeat(51, (nth) => `a${nth}: id`)} } }`,
      `{ ...f } fragment f on Query { me { ${repeat(51, (nth) => `a${nth}: id`)} } }`,
      `{ ${repeat(51, () => '__typename')} }`,
      `{ ${repeat(20, (nth) => `a${nth}: messages(dialogId: "x", ${page}`)} }`,
    ];
    for (const [name, transport] of GRAPHQL_TRANSPORTS) {
      for (const document of refused) {
        expect([name, codeOf(await transport(document, {}, alice!))]).toEqual([name, 'BAD_USER_INPUT']);
      }
      expect(codeOf(await transport(`{ me { ${repeat(50, (nth) => `a${nth}: id`)} } }`, {}, alice!))).toBe('served');
    }
    const response = await fetch(`${running.url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...alice!.headers },
      body: JSON.stringify([{ query: '{ me { id } }' }, { query: '{ me { id } }' }]),
    });
    expect(response.status).toBe(400);
  });

  test('the schema has no fields for health or metrics', async () => {
    const { data } = await graphql('{ __schema { queryType { fields { name } } } }', {}, anonymous);
    expect(JSON.stringify(data)).not.toMatch(/health|ready|metrics/i);
  });
});

describe('#6 unbounded depth', () => {
  test('the depth limit covers fragments, subscriptions, typed classes and variables', async () => {
    const [alice] = await quickUsers(1);
    await defineClass('wheels', { size: 'Integer' });
    const dialogId = await createDialog(alice!, [alice!]);
    const classes = '{ wheels { id size } __type(name: "Wheel")';
    const refused = [
      `{ __type(name: "User") { ${nested(13)} } }`,
      `{ ...a } fragment a on Query { ...b } fragment b on Query { __type(name: "User") { ${nested(13)} } }`,
      `${classes} { ${nested(13)} } }`,
      `query ($x: ${'['.repeat(9_000)}`,
      `{ me(x: ${'{a:'.repeat(3_000)}`,
      '{ ...a } fragment a on Query { ...a }',
    ];
    for (const [name, transport] of GRAPHQL_TRANSPORTS) {
      for (const document of refused) {
        const code = codeOf(await transport(document, {}, alice!));
        expect([name, document.slice(0, 60), code]).toEqual([name, document.slice(0, 60), 'BAD_USER_INPUT']);
      }
      expect(codeOf(await transport(`${classes} { ${nested(12)} } }`, {}, alice!))).toBe('served');
      const filter = (depth: number): object => (depth === 0 ? { id: { eq: 'x' } } : { or: [filter(depth - 1)] });
      const list = 'query ($f: DialogFilter) { dialogs(filter: $f) { totalCount } }';
      expect(codeOf(await transport(list, { f: filter(500) }, alice!))).toBe('BAD_USER_INPUT');
    }
    const wide = `subscription ($dialogId: ID) { messageSent(dialogId: $dialogId) { message { ${repeat(51, (nth) => `a${nth}: id`)} } } }`;
    const stream = await streamEvents(wide, { dialogId }, alice!);
    await stream.ended;
    expect(stream.status === 400 || JSON.stringify(stream.results).includes('BAD_USER_INPUT')).toBe(true);
    const socket = await connect(alice!);
    expect(codeOf(await socket.run(wide, { dialogId }))).toBe('BAD_USER_INPUT');
    await socket.close();
    expect(MESSAGE_SENT).toContain('messageSent');
  });
});

describe('#7 introspection', () => {
  const seenBy = async (as: Parameters<typeof graphql>[2]) =>
    JSON.stringify((await graphql(getIntrospectionQuery(), {}, as)).data);

  test('introspection shows the classes of an application only to its own callers', async () => {
    await defineClass('submarines', { torpedoes: 'Integer' });
    const other = await createTenant(1);
    for (const as of [anonymous, other.key, other.users[0]!, { headers: { 'SVC-Token': 'x' } }]) {
      expect(await seenBy(as)).not.toMatch(/submarine|torpedo/i);
      for (const document of [
        '{ submarine { id } }',
        '{ submarinez { id } }',
        '{ ... on Query { __type(name: "Submarine") { name } } }',
      ]) {
        expect(
          JSON.stringify(await graphql(document, {}, as)).replaceAll(/submarinez?/gi, (word) =>
            document.includes(word) ? '' : word,
          ),
        ).not.toMatch(/submarine|torpedo/i);
      }
    }
    expect(await seenBy(apiKey)).toMatch(/torpedoes/);
  });

  test('the explorer page contains no credentials of the caller', async () => {
    const [alice] = await quickUsers(1);
    const response = await fetch(`${running.url}/graphql`, { headers: { Accept: 'text/html', ...alice!.headers } });
    const html = await response.text();
    expect(html).toContain('GraphQL explorer');
    for (const secret of Object.values(alice!.headers)) {
      if (secret.length > 4) expect(html).not.toContain(secret);
    }
  });
});

describe('#36 CSRF', () => {
  const MUTATION = 'mutation { createUser(input: { login: "forged", password: "password-1" }) { id } }';

  test('GET executes no mutation, and content types that browsers send without a preflight are rejected', async () => {
    const url = `${running.url}/graphql`;
    const got = await fetch(`${url}?query=${encodeURIComponent(MUTATION)}`, {
      headers: { Accept: 'application/json', ...apiKey.headers },
    });
    expect(await got.json()).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
    const bodies: [type: string, body: string][] = [
      ['text/plain', JSON.stringify({ query: MUTATION })],
      ['application/x-www-form-urlencoded', new URLSearchParams({ query: MUTATION }).toString()],
      [
        'multipart/form-data; boundary=B',
        `--B\r\nContent-Disposition: form-data; name="query"\r\n\r\n${MUTATION}\r\n--B--\r\n`,
      ],
    ];
    for (const [type, body] of bodies) {
      const response = await fetch(url, { method: 'POST', headers: { 'Content-Type': type, ...apiKey.headers }, body });
      expect([type, response.status >= 400]).toEqual([type, true]);
    }
    const { data } = await graphql('{ users(filter: { login: { eq: "forged" } }) { totalCount } }', {}, apiKey);
    expect(data.users.totalCount).toBe(0);
  });

  test('cookies and the Origin header are not credentials', async () => {
    const headers = {
      Cookie: 'SVC-Token=x; token=x',
      Origin: 'https://evil.example',
      'Content-Type': 'application/json',
    };
    const response = await fetch(`${running.url}/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query: '{ me { id } }' }),
    });
    expect(await response.json()).toMatchObject({ errors: [{ message: 'Token is required' }] });
    expect(response.headers.get('set-cookie')).toBeNull();
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
  });
});
