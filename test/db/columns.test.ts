import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { db, Prisma } from '../../src/db/client.ts';
import { columns, columnsOf, columnsWithout, orNull, type RowOf, select, withJson } from '../../src/db/columns.ts';
import { query, queryIn } from '../../src/db/query.ts';
import { BACKGROUND, transact } from '../../src/db/transact.ts';
import { APPLICATION, running, useApp } from '../support/app/app.ts';
import { createUser } from '../support/fixtures/users.ts';

useApp();

/** Models of which some columns are named differently from their fields. */
const RENAMED = ['IdentityProvider', 'Assistant', 'PushSettings'];
const MODELS = Object.values(Prisma.ModelName).filter((model) => !RENAMED.includes(model));
const schema = readFileSync(resolve(import.meta.dirname, '../../prisma/schema.prisma'), 'utf8');
const tableOf = (model: string) =>
  new RegExp(`^model ${model} \\{[\\s\\S]*?@@map\\("(\\w+)"\\)`, 'm').exec(schema)![1]!;

test.each(MODELS)('the table has every column of %s', async (model) => {
  const table = Prisma.raw(tableOf(model));
  await expect(query(select`SELECT ${columnsOf(model, 't')} FROM ${table} t LIMIT 0`)).resolves.toEqual([]);
});

test('a row has the same names, values and types as a Prisma result', async () => {
  const at = running.now();
  const values = { applicationId: APPLICATION.id, login: 'ada', lastRequestAt: at, createdAt: at, updatedAt: at };
  const user = await db.user.create({ data: values });
  const { id } = user;
  const byId = select`SELECT ${columnsOf('User', 'u')} FROM users u WHERE u.id = ${id}`;
  expect(await query(byId)).toEqual([user]);
  expect(await query`SELECT ${columnsOf('User', 'u')} FROM users u WHERE u.id = ${id}`).toEqual([user]);
  expect(await transact(BACKGROUND, (transaction) => queryIn(transaction, byId))).toEqual([user]);
});

test('a row without some columns has all others', async () => {
  const [row] = await query`SELECT ${columnsWithout('User', 'u', ['login', 'email'])} FROM users u LIMIT 1`;
  const [all] = await query`SELECT ${columnsOf('User', 'u')} FROM users u LIMIT 1`;
  const { login: _login, email: _email, ...others } = all!;
  expect(row).toEqual(others);
});

describe('row types', () => {
  const USER = columnsOf('User', 'u', ['id', 'fullName']);
  const COUNT = columns({ count: ['int', '1'], name: ['text | null', 'NULL'] });
  type Row = RowOf<[typeof USER, typeof COUNT, number]>;

  test('a row type has the columns of all select lists', async () => {
    const { id } = await createUser();
    const rows: Row[] = await query`SELECT ${USER}, ${COUNT} FROM users u WHERE u.id = ${id}`;
    const exact: { id: number; fullName: string | null; count: number; name: string | null }[] = rows;
    expect(exact).toEqual([{ id, fullName: null, count: 1, name: null }]);
  });

  test('access to a column outside the select lists does not compile', async () => {
    const [row] = await query`SELECT ${USER} FROM users u LIMIT 1`;
    // @ts-expect-error the column is not selected
    expect(row?.login).toBeUndefined();
    // @ts-expect-error the model has no such field
    expect(() => columnsOf('User', 'u', ['unknown'])).not.toThrow();
    // @ts-expect-error an outer join may match no row
    const id: number | undefined = (await query`SELECT ${orNull(USER)} FROM users u LIMIT 1`)[0]?.id;
    expect(id).not.toBeNull();
    // @ts-expect-error the JSON column is not selected
    expect(withJson<{ customData: object }>()(USER)).toBeDefined();
  });
});

test('no resolver statement declares its own type for a row type that already exists', () => {
  const folder = resolve(import.meta.dirname, '../../src');
  const claims = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /^(resolvers|administration\/(?!schema)[^/]+)\/.*\.ts$/.test(file))
    .flatMap((file) => {
      const text = readFileSync(join(folder, file), 'utf8');
      return (text.match(/\b(query|\$queryRaw)<(?!\{|unknown)[^>]+>|\bas \w*Row\b/g) ?? []).map((claim) => [
        file,
        claim,
      ]);
    });
  expect(claims).toEqual([]);
});
