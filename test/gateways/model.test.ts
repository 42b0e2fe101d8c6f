import { describe, expect, test } from 'vitest';
import { createModelClient, type ModelEndpoint, ModelUnavailableError, type Prompt } from '../../src/gateways/model.ts';
import { until } from '../support/clients/websocket.ts';
import { beginsStream, DONE, delta, type Reply, says, startModel } from '../support/fakes/model.ts';
import { deadAddress } from '../support/fakes/provider.ts';

const PROMPT: Prompt = { messages: [{ role: 'user', content: 'Hi 😀' }], maxTokens: 7 };
const SILENCE = 300;

const client = createModelClient();
/** For models that fall silent; a busy machine may make others seem so. */
const hasty = createModelClient({ silence: SILENCE });
const never = new AbortController().signal;
const at = (url: string, more: Partial<ModelEndpoint> = {}): ModelEndpoint => ({
  baseUrl: url,
  model: 'tiny',
  apiKey: undefined,
  isTrusted: true,
  ...more,
});

async function streamed(endpoint: ModelEndpoint, by = client): Promise<string[]> {
  const parts: string[] = [];
  for await (const part of by.stream(endpoint, PROMPT, never)) parts.push(part);
  return parts;
}

const reasonOf = (asking: Promise<unknown>): Promise<string> =>
  asking.then(
    (answer) => `answered ${JSON.stringify(answer)}`,
    (error: unknown) => (error instanceof ModelUnavailableError ? error.message : `another error: ${error}`),
  );

test('a model is sent what OpenAI takes', async () => {
  const model = await startModel((response) => says(response, 'Hello', { total_tokens: 12 }));
  expect(await client.complete(at(`${model.url}/?x=1`, { apiKey: 'sk-1' }), PROMPT)).toEqual({
    text: 'Hello',
    tokens: 12,
  });
  const [{ path, headers, body }] = model.asked as [(typeof model.asked)[0]];
  expect(path).toBe('/v1/chat/completions?x=1');
  expect(headers).toMatchObject({ authorization: 'Bearer sk-1', 'content-type': 'application/json' });
  expect(body).toEqual({ model: 'tiny', messages: PROMPT.messages, max_tokens: 7, stream: false });
  await client.complete(at(model.url), PROMPT);
  expect(model.asked[1]!.headers).not.toHaveProperty('authorization');
  expect(model.connections()).toBe(1);
});

test.each([
  ['no count', undefined],
  ['a count that is none', { total_tokens: 'x' }],
  ['a negative count', { total_tokens: -5 }],
  ['null', null],
])('%s of tokens is no harm', async (_name, usage) => {
  const model = await startModel((response) => says(response, 'x\ud800', usage));
  expect(await client.complete(at(model.url), PROMPT)).toEqual({ text: 'x\ufffd', tokens: undefined });
});

describe('a streamed answer', () => {
  test('comes as it is said', async () => {
    let goOn = () => {};
    const model = await startModel(async (response) => {
      beginsStream(response).write(`: a comment\n\ndata: {"choices":[]}\n\n${delta('He')}`);
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
      response.end(`${delta('l')}${delta('lo')}${DONE}${delta('never')}`);
    });
    const stream = client.stream(at(model.url), PROMPT, never)[Symbol.asyncIterator]();
    expect(await stream.next()).toEqual({ value: 'He', done: false });
    goOn();
    expect(await stream.next()).toEqual({ value: 'llo', done: false });
    expect(await stream.next()).toEqual({ value: undefined, done: true });
    expect(model.asked[0]!.body.stream).toBe(true);
  });

  test('may be cut anywhere, within characters and lines', async () => {
    const bytes = Buffer.from(`${delta('Grüße 😀')}${delta('\r\n')}${DONE}`.replaceAll('\n\n', '\r\n\r\n'));
    const model = await startModel(async (response) => {
      beginsStream(response);
      for (const byte of bytes) {
        response.write(Buffer.from([byte]));
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    });
    expect((await streamed(at(model.url))).join('')).toBe('Grüße 😀\r\n');
  });

  test('may be whole, from a model that does not stream', async () => {
    const model = await startModel((response) => says(response, 'Hello'));
    expect(await streamed(at(model.url))).toEqual(['Hello']);
  });

  test('that breaks off before its beginning is asked for again, later not', async () => {
    const early = await startModel((response, _asked, nth) => {
      if (nth === 1) beginsStream(response).destroy();
      else beginsStream(response).end(`${delta('ok')}${DONE}`);
    });
    expect(await streamed(at(early.url))).toEqual(['ok']);
    const late = await startModel((response) => beginsStream(response).end(delta('He')));
    expect(await reasonOf(streamed(at(late.url)))).toBe('its answer broke off');
    expect([early.asked.length, late.asked.length]).toEqual([2, 1]);
  });

  test('ends with whoever listens', async () => {
    let isClosed = false;
    const model = await startModel((response) => {
      response.on('close', () => {
        isClosed = true;
      });
      beginsStream(response).write(delta('He'));
    });
    const left = new AbortController();
    const stream = client.stream(at(model.url), PROMPT, left.signal)[Symbol.asyncIterator]();
    await stream.next();
    left.abort();
    expect(await reasonOf(stream.next())).toBe('nobody waits for its answer any more');
    await until(() => isClosed);
  });
});

describe('trouble', () => {
  const TROUBLES: [name: string, reply: Reply, reason: string, tries: number][] = [
    ['a fault', (response) => response.writeHead(500).end('sk-secret'), 'it answered 500', 2],
    ['too much', (response) => response.writeHead(429).end(), 'it answered 429', 2],
    ['a wrong key', (response) => response.writeHead(401).end('{}'), 'it answered 401', 1],
    ['no such model', (response) => response.writeHead(404).end('{}'), 'it answered 404', 1],
    [
      'a redirect',
      (response) => response.writeHead(302, { Location: 'http://169.254.169.254' }).end(),
      'it answered 302',
      1,
    ],
    ['no JSON', (response) => response.end('<html>'), 'it answered no JSON', 2],
    ['nothing', (response) => response.end(), 'it answered no JSON', 2],
    ['something else', (response) => response.end('{"choices":[]}'), 'it answered something else than an answer', 2],
    [
      'an answer that is no text',
      (response) => says(response, { x: 1 }),
      'it answered something else than an answer',
      2,
    ],
    ['null', (response) => response.end('null'), 'it answered something else than an answer', 2],
    ['a hang-up', (response) => response.socket!.destroy(), 'the request failed: ECONNRESET', 2],
    ['no end', endless, 'it answered more than 4194304 bytes', 1],
  ];

  test.each(TROUBLES)('%s', async (_name, reply, reason, tries) => {
    const model = await startModel(reply);
    expect(await reasonOf(client.complete(at(model.url, { apiKey: 'sk-secret' }), PROMPT))).toBe(reason);
    expect(model.asked.length).toBe(tries);
    expect(await reasonOf(streamed(at(model.url)))).toBe(reason);
    expect(model.asked.length).toBe(2 * tries);
  });

  const SILENT: [name: string, reply: Reply][] = [
    ['silence', () => {}],
    ['an answer that falls silent', (response) => response.writeHead(200).write('{')],
  ];

  test.each(SILENT)('%s', async (_name, reply) => {
    const model = await startModel(reply);
    expect(await reasonOf(hasty.complete(at(model.url), PROMPT))).toBe('it did not answer in time');
    expect(await reasonOf(streamed(at(model.url), hasty))).toBe('it did not answer in time');
    expect(model.asked.length).toBe(2);
  });

  test('nobody there', async () => {
    const url = await deadAddress();
    expect(await reasonOf(client.complete(at(url), PROMPT))).toBe('the request failed: ECONNREFUSED');
  });

  test('that passes is overcome', async () => {
    const model = await startModel((response, _asked, nth) =>
      nth === 1 ? response.writeHead(503).end() : says(response, 'Hello'),
    );
    expect((await client.complete(at(model.url), PROMPT)).text).toBe('Hello');
  });

  test.each(['{"error":{"message":"x"}}', 'x', '{"choices":[{"delta":{"content":5}}]}'])(
    'garbage in a stream: %s',
    async (data) => {
      const model = await startModel((response) => beginsStream(response).end(`data: ${data}\n\n`));
      expect(await reasonOf(streamed(at(model.url)))).toMatch(/^it answered (no JSON|something else than an answer)$/);
      expect(model.asked.length).toBe(2);
    },
  );

  test('ends with the service', async () => {
    const model = await startModel(() => {});
    const own = createModelClient();
    const asking = reasonOf(own.complete(at(model.url), PROMPT));
    await until(() => model.asked.length === 1);
    own.stop();
    expect(await asking).toBe('nobody waits for its answer any more');
  });
});

describe('row 27: an address that nobody trusts', () => {
  test('never leads inside, by whatever name, nor over a connection that somebody else has open', async () => {
    const model = await startModel((response) => says(response, 'Hello'));
    const { port } = new URL(model.url);
    await client.complete(at(model.url), PROMPT);
    await client.complete(at(`http://localhost:${port}`), PROMPT);
    const connections = model.connections();
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '0x7f.1', '[::ffff:127.0.0.1]', '0.0.0.0']) {
      const reason = await reasonOf(client.complete(at(`http://${host}:${port}`, { isTrusted: false }), PROMPT));
      expect([host, reason]).toEqual([host, expect.stringMatching(/inside the network|ENOTPUBLIC/)]);
    }
    expect([model.asked.length, model.connections()]).toEqual([2, connections]);
  });
});

function endless(response: Parameters<Reply>[0]): void {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  const more = () => {
    while (!response.destroyed && response.write(' '.repeat(64 * 1024)));
  };
  response.on('drain', more);
  more();
}
