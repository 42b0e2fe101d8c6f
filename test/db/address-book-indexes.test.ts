import { beforeAll, describe, expect, test } from 'vitest';
import { APPLICATION, useApp } from '../support/app/app.ts';
import { rowsReadBy, type Statement, statementsAbout } from '../support/app/query-plans.ts';
import { sql } from '../support/app/sql.ts';
import { execute, type QuickUser, quickUsers } from '../support/fixtures/chat.ts';
import { apiKey } from '../support/fixtures/users.ts';

useApp();

const USERS = 20_000;
const CONTACTS = 50;

let asker: QuickUser;

beforeAll(async () => {
  await sql(
    `INSERT INTO users (application_id, id, phone, created_at, updated_at)
    SELECT $1, 1000 + n, '+44' || (2079000000 + n), now(), now() FROM generate_series(1, ${USERS}) n`,
    [APPLICATION.id],
  );
  const [first, ...others] = (await quickUsers(21)) as [QuickUser, ...QuickUser[]];
  asker = first;
  const books = [asker, ...others].map(({ id }) => id);
  await sql(
    `INSERT INTO contacts (application_id, user_id, udid, phone, name)
    SELECT $1, u, '', '+44' || (2079000000 + n * 97), 'N' FROM unnest($2::int[]) u, generate_series(1, ${CONTACTS}) n`,
    [APPLICATION.id, books],
  );
  await sql('VACUUM ANALYZE users, contacts');
});

async function statementsOf(query: string): Promise<Statement[]> {
  const statements = await statementsAbout(/\bcontacts\b|phone, '\[/, async () => {
    await execute(query, {}, asker);
  });
  expect(statements.length).toBeGreaterThan(0);
  return statements;
}

async function expectReads(query: string, most: number): Promise<void> {
  for (const statement of await statementsOf(query)) {
    for (const mode of ['custom', 'generic'] as const) {
      expect([mode, statement.text, (await rowsReadBy(statement, mode)) <= most]).toEqual([mode, statement.text, true]);
    }
  }
}

describe('address book indexes', () => {
  test('a page of contacts reads no more rows than the page needs', () =>
    expectReads('{ contacts(first: 5) { edges { node { phone } } } }', 7));

  test('the address book is read by its index', () => expectReads('{ addressBook { contacts { phone } } }', CONTACTS));

  test('registered users are found by their exact phone through an index', () =>
    expectReads('{ registeredContacts { totalCount } }', 2 * CONTACTS));

  test('registered users are found by their normalized number through an index', async () => {
    const set = 'mutation ($mode: PhoneMatching) { updateApplication(input: { phoneMatching: $mode }) { id } }';
    await execute(set, { mode: 'E164' }, apiKey);
    expect((await execute('{ registeredContacts { totalCount } }', {}, asker)).registeredContacts.totalCount).toBe(
      CONTACTS,
    );
    await expectReads('{ registeredContacts { totalCount } }', 2 * CONTACTS);
  });
});
