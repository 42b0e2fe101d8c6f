import { beforeAll, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { rest } from '../../support/clients/rest.ts';
import { streamEvents } from '../../support/clients/sse.ts';
import { beginsStream, createAssistant, delta, startModel } from '../../support/fakes/model.ts';
import { errorOf, type QuickUser, quickUsers } from '../../support/fixtures/chat.ts';

// In its own file because the model timeout is shortened.
useApp({ modelSilence: 2_000 });

let alice: QuickUser;
beforeAll(async () => {
  [alice] = (await quickUsers(1)) as [QuickUser];
});

test('a model that hangs is unavailable over REST and GraphQL', async () => {
  const model = await startModel(() => {});
  const id = await createAssistant(model);
  const json = { smart_chat_assistant_id: id, message: 'hi' };
  const { status, body } = await rest('POST', '/ai/ai_extensions/ai_answer_assist', { as: alice, json });
  expect([status, body]).toEqual([503, { errors: ['Service unavailable'] }]);
  const answer = 'mutation ($input: AnswerInput!) { assistAnswer(input: $input) }';
  expect(await errorOf(answer, { input: { assistantId: id, message: 'hi' } }, alice)).toMatchObject({
    message: 'Service unavailable',
  });
  expect(model.asked).toHaveLength(2);
});

test('a stream of a model that stalls ends with an error', async () => {
  const model = await startModel((response) => beginsStream(response).write(delta('He')));
  const query = 'subscription ($input: AnswerInput!) { answerStream(input: $input) { text isLast } }';
  const input = { assistantId: await createAssistant(model), message: 'hi' };
  const stream = await streamEvents(query, { input }, alice);
  await stream.ended;
  expect(stream.results).toMatchObject([
    { data: { answerStream: { text: 'He', isLast: false } } },
    { errors: [{ message: 'Service unavailable' }] },
  ]);
});
