import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { rest } from '../../support/clients/rest.ts';
import { streamEvents } from '../../support/clients/sse.ts';
import { connect, until } from '../../support/clients/websocket.ts';
import { beginsStream, createAssistant, DONE, delta, says, startModel } from '../../support/fakes/model.ts';
import { createDialog, type QuickUser, quickUsers, send } from '../../support/fixtures/chat.ts';
import { createUser } from '../../support/fixtures/users.ts';

useApp();

const ANSWER = 'subscription ($input: AnswerInput!) { answerStream(input: $input) { text isLast } }';
const SUMMARY = 'subscription ($input: SummaryInput!) { summaryStream(input: $input) { text isLast } }';

let alice: QuickUser;
let bob: QuickUser;
beforeAll(async () => {
  [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
});

const part = (text: string, isLast = false) => ({ answerStream: { text, isLast } });

/** Subscribes over a WebSocket and collects the data of the payloads in order. */
async function onSocket(query: string, input: object, as: QuickUser = alice) {
  const socket = await connect(as);
  socket.send({ id: 'ai', type: 'subscribe', payload: { query, variables: { input } } });
  const own = () => socket.received.filter(({ id }) => id === 'ai');
  const payloads = () =>
    own()
      .filter(({ type }) => type === 'next')
      .map(({ payload }) => payload.data ?? payload.errors);
  const isOver = () => own().some(({ type }) => type === 'complete' || type === 'error');
  return { socket, own, payloads, over: () => until(isOver) };
}

/** A model that sends its next part when the test requests it. */
async function slowModel() {
  let tell: ((text: string | null) => void) | undefined;
  let isLeft = false;
  const model = await startModel((response) => {
    beginsStream(response);
    response.on('close', () => {
      isLeft = true;
    });
    tell = (text) => void (text === null ? response.end(DONE) : response.write(delta(text)));
  });
  const say = async (text: string | null) => {
    await until(() => tell !== undefined);
    tell!(text);
  };
  return { model, say, isLeft: () => isLeft };
}

describe('streamed answers', () => {
  test('a WebSocket delivers the parts of an answer when they arrive', async () => {
    const { model, say } = await slowModel();
    const assistantId = await createAssistant(model);
    const listening = await onSocket(ANSWER, { assistantId, message: 'hi' });
    await say('Hel');
    await until(() => listening.payloads().length === 1);
    await say('lo 😀');
    await until(() => listening.payloads().length === 2);
    await say(null);
    await listening.over();
    expect(listening.payloads()).toEqual([part('Hel'), part('lo 😀'), part('', true)]);
    expect(listening.own().at(-1)!.type).toBe('complete');
    expect(model.asked[0]!.body).toMatchObject({ stream: true, max_tokens: 1000 });
    await listening.socket.close();
  });

  test('server-sent events deliver the parts of an answer', async () => {
    const { model, say } = await slowModel();
    const assistantId = await createAssistant(model);
    const stream = await streamEvents(ANSWER, { input: { assistantId, message: 'hi' } }, alice);
    await say('Hel');
    await until(() => stream.results.length === 1);
    await say('lo');
    await say(null);
    await stream.ended;
    const texts = stream.results.map(({ data }) => data.answerStream.text);
    expect([texts.join(''), stream.results.at(-1).data]).toEqual(['Hello', part('', true)]);
  });

  test('an answer of ten thousand parts arrives completely', async () => {
    const words = Array.from({ length: 10_000 }, (_, nth) => `${nth} `);
    const model = await startModel((response) => beginsStream(response).end(words.map(delta).join('') + DONE));
    const listening = await onSocket(ANSWER, { assistantId: await createAssistant(model), message: 'hi' });
    await listening.over();
    const texts = listening.payloads().map((payload) => payload.answerStream.text);
    expect(texts.join('')).toBe(words.join(''));
    await listening.socket.close();
  });

  test('an answer that breaks off ends with an error', async () => {
    const model = await startModel((response) => beginsStream(response).end(delta('He')));
    const listening = await onSocket(ANSWER, { assistantId: await createAssistant(model), message: 'hi' });
    await listening.over();
    expect(listening.payloads()).toMatchObject([part('He'), [{ message: 'Service unavailable' }]]);
    await listening.socket.close();
  });

  test('the request to the model is aborted when the subscriber leaves', async () => {
    const leaves: ((listening: Awaited<ReturnType<typeof onSocket>>) => unknown)[] = [
      ({ socket }) => socket.send({ id: 'ai', type: 'complete' }),
      ({ socket }) => socket.socket.terminate(),
    ];
    for (const leave of leaves) {
      const { model, say, isLeft } = await slowModel();
      const listening = await onSocket(ANSWER, { assistantId: await createAssistant(model), message: 'hi' });
      await say('He');
      await until(() => listening.payloads().length === 1);
      expect(isLeft()).toBe(false);
      leave(listening);
      await until(isLeft);
    }
    const { model, say, isLeft } = await slowModel();
    const input = { assistantId: await createAssistant(model), message: 'hi' };
    const stream = await streamEvents(ANSWER, { input }, alice);
    await say('He');
    await until(() => stream.results.length === 1);
    stream.abort();
    await until(isLeft);
  });

  test('a streamed answer ends when the credentials of its caller end', async () => {
    const user = await createUser();
    const { model, say, isLeft } = await slowModel();
    const input = { assistantId: await createAssistant(model), message: 'hi' };
    const socket = await connect(user);
    socket.send({ id: 'ai', type: 'subscribe', payload: { query: ANSWER, variables: { input } } });
    await say('He');
    await socket.find(({ type }) => type === 'next');
    await rest('DELETE', '/session', { as: user });
    expect((await socket.closed).code).toBe(4403);
    await until(isLeft);
  });

  test('invalid input is rejected immediately', async () => {
    const listening = await onSocket(ANSWER, { assistantId: '0'.repeat(24), message: 'hi' });
    await listening.over();
    expect(listening.payloads()).toMatchObject([[{ extensions: { code: 'NOT_FOUND' } }]]);
    await listening.socket.close();
    const stream = await streamEvents(ANSWER, { input: {} }, alice);
    await stream.ended;
    expect(stream.results[0].errors[0].extensions.code).toBe('BAD_USER_INPUT');
  });
});

describe('streamed summaries', () => {
  const texts = async (input: object, as = alice) => {
    const listening = await onSocket(SUMMARY, input, as);
    await listening.over();
    await listening.socket.close();
    return listening.payloads().map((payload) => payload.summaryStream?.text ?? payload);
  };

  test('a summary streams only its last step', async () => {
    const model = await startModel((response, { body }) => {
      if (body.stream) beginsStream(response).end(`${delta('All')}${delta(' good')}${DONE}`);
      else says(response, 'part');
    });
    const assistantId = await createAssistant(model);
    const dialogId = await createDialog(alice, [bob]);
    expect(await texts({ assistantId, dialogId })).toEqual(['Chat is empty.', '']);
    expect(model.asked).toEqual([]);
    await send(alice, dialogId, 'hi');
    expect((await texts({ assistantId, dialogId })).join('')).toBe('All good');
    expect(model.asked.map(({ body }) => body.stream)).toEqual([true]);
    for (let nth = 0; nth < 20; nth++) await send(alice, dialogId, 'x'.repeat(2500));
    expect((await texts({ assistantId, dialogId })).join('')).toBe('All good');
    expect(model.asked.slice(1).map(({ body }) => body.stream)).toEqual([false, false, true]);
    expect(JSON.parse(model.asked.at(-1)!.body.messages[1].content)).toEqual(['part', 'part']);
  });

  test('a summary reports a failed part', async () => {
    const model = await startModel((response) => response.writeHead(400).end());
    const assistantId = await createAssistant(model);
    const dialogId = await createDialog(alice, [bob]);
    for (let nth = 0; nth < 20; nth++) await send(alice, dialogId, 'x'.repeat(2500));
    const notified = await texts({ assistantId, dialogId });
    expect(notified).toEqual([[expect.objectContaining({ message: 'Service unavailable' })]]);
  });
});
