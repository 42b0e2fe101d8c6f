import { describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { sweep } from '../../../src/jobs/sweep.ts';
import { DAY } from '../../../src/lib/time.ts';
import { APPLICATION, clock, running, useApp } from '../../support/app/app.ts';
import { createTenant } from '../../support/app/other-apps.ts';
import { createAssistant, says, startModel } from '../../support/fakes/model.ts';
import { signedInAdministrator } from '../../support/fixtures/administrators.ts';
import { errorOf, execute, type QuickUser, quickUsers } from '../../support/fixtures/chat.ts';
import { RETENTION } from '../../support/fixtures/retention.ts';
import { apiKey, type Caller } from '../../support/fixtures/users.ts';

useApp({ limits: {} });

const ANSWER = 'mutation ($input: AnswerInput!) { assistAnswer(input: $input) }';
const USAGE = `query ($days: Int!) { aiUsage(days: $days) {
  dailyTokens requests failures tokens
  assistants { assistantId name requests failures tokens }
  days { day requests failures tokens }
  users { userId tokens }
} }`;
const usage = async (days = 2, as = apiKey) => (await execute(USAGE, { days }, as)).aiUsage;

describe('aiUsage', () => {
  test('counts tokens and failures per assistant and day, and per user today', async () => {
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    const cheap = await createAssistant(await startModel((response) => says(response, 'x', { total_tokens: 10 })));
    const dear = await createAssistant(await startModel((response) => says(response, 'x', { total_tokens: 700 })));
    const broken = await createAssistant(await startModel((response) => response.writeHead(400).end()));
    const ask = (assistantId: string, as: Caller) => execute(ANSWER, { input: { assistantId, message: 'hi' } }, as);
    await ask(cheap, alice);
    await ask(dear, bob);
    await errorOf(ANSWER, { input: { assistantId: broken, message: 'hi' } }, bob);
    clock.advance(DAY);
    await ask(cheap, alice);
    await ask(dear, apiKey);

    const found = await usage();
    expect(found).toMatchObject({ requests: 5, failures: 1, tokens: 1_420, dailyTokens: 200_000 });
    expect(found.assistants).toEqual([
      { assistantId: dear, name: expect.any(String), requests: 2, failures: 0, tokens: 1_400 },
      { assistantId: cheap, name: expect.any(String), requests: 2, failures: 0, tokens: 20 },
      { assistantId: broken, name: expect.any(String), requests: 1, failures: 1, tokens: 0 },
    ]);
    expect(found.days.map(({ requests, tokens }: Record<string, number>) => [requests, tokens])).toEqual([
      [3, 710],
      [2, 710],
    ]);
    expect(found.users).toEqual([{ userId: alice.id, tokens: 10 }]);
    expect((await usage(1)).tokens).toBe(710);

    const other = await createTenant(1);
    expect(await usage(2, other.key)).toMatchObject({ requests: 0, tokens: 0, assistants: [], users: [] });
  });

  test('figures are removed after a year', async () => {
    const row = { applicationId: APPLICATION.id, assistantId: 'x', requests: 1, failures: 0, tokens: 1 };
    const day = (ago: number) => new Date(Math.floor(clock.now() / DAY) * DAY - ago * DAY);
    await db.aiUsage.createMany({ data: [366, 367].map((ago) => ({ ...row, day: day(ago) })) });
    await sweep(running.now(), RETENTION);
    expect(await db.aiUsage.findMany({ where: { assistantId: 'x' } })).toMatchObject([{ day: day(366) }]);
  });

  test.each([0, -1, 367])('a period of %s days is rejected', async (days) => {
    expect(await errorOf(USAGE, { days }, apiKey)).toMatchObject({ code: 'BAD_USER_INPUT' });
  });
});

describe('tryAssistant', () => {
  const TRY = `mutation ($id: ID!, $message: String!) {
    tryAssistant(id: $id, message: $message) { answer problem tokens milliseconds }
  }`;

  test('returns the answer of the model, also while the features are turned off', async () => {
    const developer = await signedInAdministrator('developer');
    await execute('mutation { updateApplication(input: { answerAssist: false }) { id } }', {}, apiKey);
    const model = await startModel((response) => says(response, 'Hello!', { total_tokens: 12 }));
    const id = await createAssistant(model);
    const { tryAssistant } = await execute(TRY, { id, message: 'Hi' }, developer);
    expect(tryAssistant).toEqual({ answer: 'Hello!', problem: null, tokens: 12, milliseconds: expect.any(Number) });
    expect(model.asked[0]!.body.messages.at(-1)).toEqual({ role: 'user', content: 'Hi' });
    await execute('mutation { updateApplication(input: { answerAssist: true }) { id } }', {}, apiKey);
  });

  test('says why the model does not answer', async () => {
    const id = await createAssistant(await startModel((response) => response.writeHead(401).end()));
    const { tryAssistant } = await execute(TRY, { id, message: 'Hi' }, apiKey);
    expect(tryAssistant).toMatchObject({ answer: null, problem: 'responded with 401', tokens: 0 });
  });

  test('rejects an empty message and an unknown assistant', async () => {
    const id = '0'.repeat(24);
    expect(await errorOf(TRY, { id, message: ' ' }, apiKey)).toMatchObject({ code: 'BAD_USER_INPUT' });
    expect(await errorOf(TRY, { id, message: 'x' }, apiKey)).toMatchObject({ code: 'NOT_FOUND' });
  });
});
