import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createModelClient, type ModelEndpoint, ModelUnavailableError, type Prompt } from '../../src/gateways/model.ts';
import { until } from '../support/clients/websocket.ts';
import { beginsStream, DONE, delta, type Reply, says, startModel } from '../support/fakes/model.ts';
import { deadAddress } from '../support/fakes/provider.ts';

const PROMPT: Prompt = { messages: [{ role: 'user', content: 'Hi 😀' }], maxTokens: 7 };
/** Milliseconds. */
const SILENCE = 60_000;

const client = createModelClient();
const never = new AbortController().signal;
const at = (url: string, more: Partial<ModelEndpoint> = {}): ModelEndpoint => ({
  baseUrl: url,
  model: 'tiny',
  apiKey: undefined,
  isTrusted: true,
  ...more,
});

async function streamed(endpoint: ModelEndpoint): Promise<string[]> {
  const parts: string[] = [];
  for await (const part of client.stream(endpoint, PROMPT, never)) parts.push(part);
  return parts;
}

const reasonOf = (asking: Promise<unknown>): Promise<string> =>
  asking.then(
    (answer) => `answered ${JSON.stringify(answer)}`,
    (error: unknown) => (error instanceof ModelUnavailableError ? error.message : `another error: ${error}`),
  );

test('complete sends a request in the OpenAI format', async () => {
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
  ['a missing count', undefined],
  ['a count that is not a number', { total_tokens: 'x' }],
  ['a negative count', { total_tokens: -5 }],
  ['null', null],
])('complete accepts a response with %s of tokens', async (_name, usage) => {
  const model = await startModel((response) => says(response, 'x\ud800', usage));
  expect(await client.complete(at(model.url), PROMPT)).toEqual({ text: 'x\ufffd', tokens: undefined });
});

describe('streaming a completion', () => {
  test('stream yields each part when it arrives', async () => {
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

  test('stream decodes responses that are split within characters and lines', async () => {
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

  test('stream accepts a complete response from a model that does not stream', async () => {
    const model = await startModel((response) => says(response, 'Hello'));
    expect(await streamed(at(model.url))).toEqual(['Hello']);
  });

  test('stream retries an answer that breaks off before the first part, but not later', async () => {
    const early = await startModel((response, _asked, nth) => {
      if (nth === 1) beginsStream(response).destroy();
      else beginsStream(response).end(`${delta('ok')}${DONE}`);
    });
    expect(await streamed(at(early.url))).toEqual(['ok']);
    const late = await startModel((response) => beginsStream(response).end(delta('He')));
    expect(await reasonOf(streamed(at(late.url)))).toBe('the response ended early');
    expect([early.asked.length, late.asked.length]).toEqual([2, 1]);
  });

  test('stream closes the request when its consumer aborts', async () => {
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
    expect(await reasonOf(stream.next())).toBe('the caller cancelled the request');
    await until(() => isClosed);
  });
});

describe('model failures', () => {
  const TROUBLES: [name: string, reply: Reply, reason: string, tries: number][] = [
    ['a 500 response', (response) => response.writeHead(500).end('sk-secret'), 'responded with 500', 2],
    ['a 429 response', (response) => response.writeHead(429).end(), 'responded with 429', 2],
    ['a 401 response', (response) => response.writeHead(401).end('{}'), 'responded with 401', 1],
    ['a 404 response', (response) => response.writeHead(404).end('{}'), 'responded with 404', 1],
    [
      'a redirect',
      (response) => response.writeHead(302, { Location: 'http://169.254.169.254' }).end(),
      'responded with 302',
      1,
    ],
    ['a response without JSON', (response) => response.end('<html>'), 'the response is not JSON', 2],
    ['nothing', (response) => response.end(), 'the response is not JSON', 2],
    [
      'an object without a message',
      (response) => response.end('{"choices":[]}'),
      'the response is not a chat completion',
      2,
    ],
    [
      'an answer that is not a text',
      (response) => says(response, { x: 1 }),
      'the response is not a chat completion',
      2,
    ],
    ['null', (response) => response.end('null'), 'the response is not a chat completion', 2],
    ['a closed connection', (response) => response.socket!.destroy(), 'the request failed: ECONNRESET', 2],
    ['an endless response', endless, 'the response exceeds 4194304 bytes', 1],
  ];

  test.each(TROUBLES)('complete and stream fail after %s', async (_name, reply, reason, tries) => {
    const model = await startModel(reply);
    expect(await reasonOf(client.complete(at(model.url, { apiKey: 'sk-secret' }), PROMPT))).toBe(reason);
    expect(model.asked.length).toBe(tries);
    expect(await reasonOf(streamed(at(model.url)))).toBe(reason);
    expect(model.asked.length).toBe(2 * tries);
  });

  const SILENT: [name: string, reply: Reply][] = [
    ['silence', () => {}],
    ['an answer that stalls', (response) => response.writeHead(200).write('{')],
  ];

  test.each(SILENT)('complete and stream time out after %s', async (_name, reply) => {
    let arrived = () => {};
    const model = await startModel((...asked) => {
      arrived();
      return reply(...asked);
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    for (const ask of [() => client.complete(at(model.url), PROMPT), () => streamed(at(model.url))]) {
      const arrival = new Promise<void>((resolve) => {
        arrived = resolve;
      });
      const reason = reasonOf(ask());
      await arrival;
      await vi.advanceTimersByTimeAsync(SILENCE);
      expect(await reason).toBe('no response in time');
    }
    expect(model.asked.length).toBe(2);
  });

  test('complete fails when the connection is refused', async () => {
    const url = await deadAddress();
    expect(await reasonOf(client.complete(at(url), PROMPT))).toBe('the request failed: ECONNREFUSED');
  });

  test('complete retries a temporary 503 and succeeds', async () => {
    const model = await startModel((response, _asked, nth) =>
      nth === 1 ? response.writeHead(503).end() : says(response, 'Hello'),
    );
    expect((await client.complete(at(model.url), PROMPT)).text).toBe('Hello');
  });

  test.each(['{"error":{"message":"x"}}', 'x', '{"choices":[{"delta":{"content":5}}]}'])(
    'stream rejects an invalid event: %s',
    async (data) => {
      const model = await startModel((response) => beginsStream(response).end(`data: ${data}\n\n`));
      expect(await reasonOf(streamed(at(model.url)))).toMatch(/^the response is not (JSON|a chat completion)$/);
      expect(model.asked.length).toBe(2);
    },
  );

  test('stop aborts pending requests', async () => {
    const model = await startModel(() => {});
    const own = createModelClient();
    const asking = reasonOf(own.complete(at(model.url), PROMPT));
    await until(() => model.asked.length === 1);
    own.stop();
    expect(await asking).toBe('the caller cancelled the request');
  });
});

describe('row 27: untrusted model addresses', () => {
  test('an untrusted address never reaches the internal network, under any spelling or over an open connection of a trusted one', async () => {
    const model = await startModel((response) => says(response, 'Hello'));
    const { port } = new URL(model.url);
    await client.complete(at(model.url), PROMPT);
    await client.complete(at(`http://localhost:${port}`), PROMPT);
    const connections = model.connections();
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '0x7f.1', '[::ffff:127.0.0.1]', '0.0.0.0']) {
      const reason = await reasonOf(client.complete(at(`http://${host}:${port}`, { isTrusted: false }), PROMPT));
      expect([host, reason]).toEqual([host, expect.stringMatching(/private network|ENOTPUBLIC/)]);
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
