import { expect, test } from 'vitest';
import { sweep } from '../../../src/jobs/sweep.ts';
import { clock, running, SAMPLE_TIME, useApp } from '../../support/app/app.ts';
import { sql } from '../../support/app/sql.ts';
import { rest } from '../../support/clients/rest.ts';
import { errorOf, execute, type QuickUser, quickUsers } from '../../support/fixtures/chat.ts';
import { RETENTION } from '../../support/fixtures/retention.ts';

useApp({ limits: {} });

const UPLOAD = `mutation ($contacts: [ContactInput], $force: Boolean) {
  uploadContacts(contacts: $contacts, force: $force) { created updated } }`;
const numbered = (count: number, from: number) =>
  Array.from({ length: count }, (_, nth) => ({ name: 'N', phone: String(10_000_000_000 + from + nth) }));

test('row 39: a user can check about 50,000 phones a day, including deleted contacts', async () => {
  const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
  const upload = (as: QuickUser, count: number, from: number) =>
    execute(UPLOAD, { contacts: numbered(count, from), force: true }, as);
  for (let nth = 0; nth < 4; nth++) await upload(alice, 12_000, nth * 12_000);
  expect((await upload(alice, 12_000, 36_000)).uploadContacts).toEqual({ created: 0, updated: 12_000 });

  const more = { contacts: numbered(2_001, 48_000) };
  const refusal = await errorOf(UPLOAD, more, alice);
  const untilMidnight = 86_400 - (Math.floor(SAMPLE_TIME.getTime() / 1000) % 86_400);
  expect(refusal).toEqual({ message: 'Rate limit exceeded', code: 'RATE_LIMITED', retryAfter: untilMidnight });
  const answer = await rest('POST', '/address_book.json', { as: alice, json: more });
  expect([answer.status, answer.body]).toEqual([429, { errors: ['Rate limit exceeded'] }]);
  expect(answer.headers.get('Retry-After')).toBe(String(untilMidnight));
  expect((await rest('GET', '/address_book.json', { as: alice })).body).toHaveLength(12_000);

  expect((await upload(alice, 2_000, 48_000)).uploadContacts).toEqual({ created: 2_000, updated: 0 });
  expect((await upload(bob, 12_000, 0)).uploadContacts.created).toBe(12_000);

  clock.reset(untilMidnight * 1000);
  expect((await upload(alice, 12_000, 100_000)).uploadContacts.created).toBe(12_000);
  await sweep(running.now(), RETENTION);
  expect(await sql('SELECT used FROM daily_usage ORDER BY used')).toEqual([
    { used: 12_000 },
    { used: 12_000 },
    { used: 50_000 },
  ]);
  await sweep(new Date(SAMPLE_TIME.getTime() + 3 * 86_400_000), RETENTION);
  expect(await sql('SELECT used FROM daily_usage')).toEqual([]);
});
