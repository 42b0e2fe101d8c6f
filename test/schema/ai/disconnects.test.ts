import { expect, test } from 'vitest';
import { running, useApp } from '../../support/app/app.ts';
import { sql } from '../../support/app/sql.ts';
import { connect, until } from '../../support/clients/websocket.ts';
import { createAssistant, startModel } from '../../support/fakes/model.ts';
import { type QuickUser, quickUsers } from '../../support/fixtures/chat.ts';

useApp({ limits: {} });

const ANSWER = 'mutation ($input: AnswerInput!) { assistAnswer(input: $input) }';

type Asking = (assistantId: string, alice: QuickUser) => Promise<() => void>;

function post(path: string, { headers }: QuickUser, body: object): () => void {
  const left = new AbortController();
  fetch(running.url + path, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    signal: left.signal,
  }).catch(() => {});
  return () => left.abort();
}

const overRest: Asking = async (assistantId, alice) =>
  post('/ai/ai_extensions/ai_answer_assist', alice, { smart_chat_assistant_id: assistantId, message: 'hi' });

const overHttp: Asking = async (assistantId, alice) =>
  post('/graphql', alice, { query: ANSWER, variables: { input: { assistantId, message: 'hi' } } });

const cancelling: Asking = async (assistantId, alice) => {
  const socket = await connect(alice);
  const variables = { input: { assistantId, message: 'hi' } };
  socket.send({ type: 'subscribe', id: '1', payload: { query: ANSWER, variables } });
  return () => socket.send({ type: 'complete', id: '1' });
};

const closing: Asking = async (assistantId, alice) => {
  const socket = await connect(alice);
  const variables = { input: { assistantId, message: 'hi' } };
  socket.send({ type: 'subscribe', id: '1', payload: { query: ANSWER, variables } });
  return () => socket.socket.terminate();
};

test.each<[string, Asking]>([
  ['disconnects over REST', overRest],
  ['disconnects over HTTP', overHttp],
  ['completes the operation on a socket', cancelling],
  ['closes the socket', closing],
])('a caller who %s ends the request to the model and is not charged', async (_name, asking) => {
  let ended = 0;
  const model = await startModel(async (response) => {
    await new Promise((resolve) => response.once('close', resolve));
    ended++;
  });
  const assistantId = await createAssistant(model);
  const [alice] = (await quickUsers(1)) as [QuickUser];
  const leave = await asking(assistantId, alice);
  await until(() => model.asked.length === 1);
  expect(await usedBy(alice)).toBeGreaterThan(0);
  leave();
  await until(() => ended === 1);
  await until(async () => (await usedBy(alice)) === 0);
  expect(model.asked).toHaveLength(1);
});

async function usedBy({ id }: QuickUser): Promise<number | undefined> {
  const [row] = await sql<{ used: number }>("SELECT used FROM daily_usage WHERE kind = 'aiTokens' AND user_id = $1", [
    id,
  ]);
  return row?.used;
}
