import { expect, test } from 'vitest';
import { clock, useApp } from '../../support/app/app.ts';
import { sql } from '../../support/app/sql.ts';
import { streamEvents } from '../../support/clients/sse.ts';
import { until } from '../../support/clients/websocket.ts';
import { beginsStream, createAssistant, DONE, delta, says, startModel } from '../../support/fakes/model.ts';
import { errorOf, execute, type QuickUser, quickUsers } from '../../support/fixtures/chat.ts';
import { apiKey } from '../../support/fixtures/users.ts';

useApp({ limits: {} });

const ANSWER = 'mutation ($input: AnswerInput!) { assistAnswer(input: $input) }';
const STREAM = 'subscription ($input: AnswerInput!) { answerStream(input: $input) { text } }';
const QUOTA = 'mutation ($tokens: Int) { updateApplication(input: { aiDailyTokens: $tokens }) { aiDailyTokens } }';

const setQuota = (tokens: number) => execute(QUOTA, { tokens }, apiKey);

async function usedBy({ id }: QuickUser): Promise<number | undefined> {
  const [row] = await sql<{ used: number }>("SELECT used FROM daily_usage WHERE kind = 'aiTokens' AND user_id = $1", [
    id,
  ]);
  return row?.used;
}

test('row 38: the daily token quota holds for concurrent requests too', async () => {
  const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
  const model = await startModel((response) => says(response, 'x', { total_tokens: 900 }));
  const input = { assistantId: await createAssistant(model), message: 'hi' };
  expect((await setQuota(5_000)).updateApplication).toEqual({ aiDailyTokens: 5_000 });

  expect((await execute(ANSWER, { input }, alice)).assistAnswer).toBe('x');
  expect(await usedBy(alice)).toBe(900);
  // Each reserves about 1,100 tokens while it runs, so at most three fit next to the 900 used.
  const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => execute(ANSWER, { input }, alice)));
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') expect(String(outcome.reason)).toContain('Rate limit exceeded');
  }
  const used = (await usedBy(alice))!;
  expect(used).toBe(900 * model.asked.length);
  expect(used).toBeLessThanOrEqual(5_000);
  for (let nth = 0; nth < 4; nth++) await execute(ANSWER, { input }, alice).catch(() => {});
  expect(await errorOf(ANSWER, { input }, alice)).toMatchObject({
    code: 'RATE_LIMITED',
    message: 'Rate limit exceeded',
  });

  expect((await execute(ANSWER, { input }, bob)).assistAnswer).toBe('x');
  const asked = model.asked.length;
  for (let nth = 0; nth < 6; nth++) await execute(ANSWER, { input }, apiKey);
  expect(model.asked.length).toBe(asked + 6);

  clock.reset(86_400_000);
  expect((await execute(ANSWER, { input }, alice)).assistAnswer).toBe('x');
  clock.reset();
});

test('failed requests cost nothing, and missing token counts are estimated', async () => {
  await setQuota(5_000);
  const [alice] = (await quickUsers(1)) as [QuickUser];
  const away = await createAssistant(await startModel((response) => response.writeHead(400).end()));
  await errorOf(ANSWER, { input: { assistantId: away, message: 'hi' } }, alice);
  expect(await usedBy(alice)).toBe(0);
  const silent = await createAssistant(await startModel((response) => says(response, 'x'.repeat(400))));
  await execute(ANSWER, { input: { assistantId: silent, message: 'hi' } }, alice);
  const used = (await usedBy(alice))!;
  expect(used).toBeGreaterThan(100);
  expect(used).toBeLessThan(250);
});

test('streams count the received tokens, also after a disconnect, and are rejected when the quota is used up', async () => {
  await setQuota(5_000);
  const [alice] = (await quickUsers(1)) as [QuickUser];
  const whole = await startModel((response) => beginsStream(response).end(`${delta('x'.repeat(400))}${DONE}`));
  const input = { assistantId: await createAssistant(whole), message: 'hi' };
  const stream = await streamEvents(STREAM, { input }, alice);
  await stream.ended;
  await until(async () => ((await usedBy(alice)) ?? 5_000) < 1_000);
  const used = (await usedBy(alice))!;
  expect(used).toBeGreaterThan(100);

  const endless = await startModel((response) => beginsStream(response).write(delta('x')));
  const left = await streamEvents(STREAM, { input: { ...input, assistantId: await createAssistant(endless) } }, alice);
  await until(() => left.results.length === 1);
  expect((await usedBy(alice))!).toBeGreaterThan(used + 1_000);
  left.abort();
  await until(async () => (await usedBy(alice))! < used + 1_000);
  expect((await usedBy(alice))!).toBeGreaterThan(used);

  await setQuota(100);
  const refused = await streamEvents(STREAM, { input }, alice);
  await refused.ended;
  expect(refused.results[0].errors[0]).toMatchObject({
    message: 'Rate limit exceeded',
    extensions: { code: 'RATE_LIMITED' },
  });
});
