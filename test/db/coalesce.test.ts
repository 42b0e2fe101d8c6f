import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { connectDatabase, db } from '../../src/db/client.ts';
import { applicationOf, coalesce } from '../../src/db/coalesce.ts';
import { isDatabaseUnavailable, sqlState } from '../../src/db/failures.ts';
import { query } from '../../src/db/query.ts';
import type { Actor } from '../../src/lib/actor.ts';
import { createDatabase, type TestDatabase } from '../support/app/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
  await connectDatabase(database.config);
  await db.$executeRaw`CREATE TABLE stored (value text)`;
  await db.$executeRaw`
    CREATE FUNCTION checked(value text) RETURNS text LANGUAGE plpgsql AS $$
    BEGIN
      IF value LIKE 'poison %' THEN RAISE EXCEPTION '%', value USING ERRCODE = split_part(value, ' ', 2); END IF;
      RETURN value;
    END $$`;
});
afterAll(async () => {
  await db.$disconnect();
  await database.drop();
});

let statements = 0;
const store = coalesce(async (values: string[]): Promise<string[]> => {
  statements++;
  const rows = await query<{ value: string }>`
    WITH given AS (SELECT value, nth FROM unnest(${values}::text[]) WITH ORDINALITY AS g (value, nth)),
    kept AS (INSERT INTO stored SELECT checked(value) FROM given)
    SELECT value FROM given ORDER BY nth`;
  return rows.map(({ value }) => value);
});

const good = (count: number) => Array.from({ length: count }, (_, nth) => `good ${nth}`);

async function storeAll(values: string[]) {
  statements = 0;
  await db.$executeRaw`TRUNCATE stored`;
  const outcomes = await Promise.allSettled(values.map(store));
  const kept = await query<{ value: string }>`SELECT value FROM stored ORDER BY value`;
  return { outcomes, kept: kept.map(({ value }) => value) };
}

const OF_ONE_INPUT = [
  '22003',
  '22021',
  '22P05',
  '23505',
  '23514',
  '25006',
  '40001',
  '40P01',
  '42501',
  '54000',
  '54001',
];
OF_ONE_INPUT.push('55P03', '57014', 'P0001', 'XX000', 'XX001');

describe('a coalesced statement with an input that fails', () => {
  test.each(OF_ONE_INPUT)(
    'SQL state %s rejects only the failing input, at any position in the batch',
    async (state) => {
      for (const at of [0, 4, 8]) {
        const values = good(9).with(at, `poison ${state}`);
        const { outcomes, kept } = await storeAll(values);
        const failed = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [sqlState(outcome.reason)] : []));
        expect(failed).toEqual([state]);
        const answers = outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : undefined));
        expect(answers).toEqual(values.map((value, nth) => (nth === at ? undefined : value)));
        expect(kept).toEqual(values.toSpliced(at, 1).sort());
      }
    },
  );

  test.each(['08006', '53300', '57P01'])(
    'SQL state %s means that the database is unavailable, so no input is retried',
    async (state) => {
      const { outcomes, kept } = await storeAll([...good(8), `poison ${state}`]);
      expect(outcomes.map(({ status }) => status)).toEqual(Array(9).fill('rejected'));
      expect([statements, kept]).toEqual([1, []]);
    },
  );

  test('an input whose error text resembles a lost connection is rejected alone', async () => {
    const { outcomes } = await storeAll([...good(8), 'poison 22023 Connection terminated']);
    expect(outcomes.map(({ status }) => status)).toEqual([...Array(8).fill('fulfilled'), 'rejected']);
    expect(isDatabaseUnavailable((outcomes[8] as PromiseRejectedResult).reason)).toBe(false);
  });

  test('an input that throws a JavaScript exception is rejected alone', async () => {
    const invert = coalesce(async (numbers: number[]) => numbers.map((number) => 12n / BigInt(number)));
    const outcomes = await Promise.allSettled([1, 0, 2, 0.5, 3].map(invert));
    expect(outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'failed'))).toEqual([
      12n,
      'failed',
      6n,
      'failed',
      4n,
    ]);
  });
});

test('one failing input among 64 costs about a dozen statements, not 64', async () => {
  const { outcomes } = await storeAll(good(64).with(40, 'poison 54000'));
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  expect(statements).toBeLessThanOrEqual(1 + 2 * 6);
});

describe('while failing inputs are pending', () => {
  let release: () => void;
  let released: Promise<void>;
  beforeEach(() => {
    released = new Promise((resolve) => {
      release = resolve;
    });
  });
  const hanging = (owner?: (value: string) => string[]) =>
    coalesce(
      async (values: string[]) => {
        const poison = values.find((value) => value.startsWith('poison'));
        if (poison && values.length > 1) await query`SELECT checked('poison 55P03')`;
        if (poison) await released;
        return values;
      },
      { ownerOf: owner },
    );

  test('inputs that arrive later run immediately', async () => {
    const run = hanging();
    const poisons = Promise.all(Array.from({ length: 40 }, () => run('poison')));
    await nextTurn();
    for (const later of ['a', 'b', 'c', 'd', 'e']) expect(await run(later)).toBe(later);
    release();
    await poisons;
  });

  test('inputs of other owners take fair turns with them', async () => {
    const run = hanging((value) => value.split(' '));
    const poisons = Promise.all(Array.from({ length: 40 }, () => run('poison mallory')));
    const beside = Promise.all(['good alice', 'good bob'].map(run));
    expect(await beside).toEqual(['good alice', 'good bob']);
    release();
    await poisons;
  });
});

describe('inputs of several applications', () => {
  interface Given {
    applicationId: number;
    value: string;
  }
  const given = (applicationId: number, value: string): Given => ({ applicationId, value });

  test('share a statement only within their application, and the statement gets its id', async () => {
    const ran: [number, string[]][] = [];
    const run = coalesce(
      async (inputs: Given[], applicationId: number) => {
        ran.push([applicationId, inputs.map(({ value }) => value)]);
        return inputs.map(({ value }) => `${applicationId} ${value}`);
      },
      { applicationOf },
    );
    const outputs = await Promise.all([given(1, 'a'), given(2, 'b'), given(1, 'c'), given(2, 'd')].map(run));
    expect(outputs).toEqual(['1 a', '2 b', '1 c', '2 d']);
    expect(ran).toEqual([
      [1, ['a', 'c']],
      [2, ['b', 'd']],
    ]);
  });

  test('share a statement only with inputs of their actor', async () => {
    const [robot, importer] = [1, 2].map((id): Actor => ({ kind: 'apiKey', id }));
    const ran: string[][] = [];
    const run = coalesce(
      async (inputs: (Given & { actor?: Actor | undefined })[], _applicationId: number) => {
        ran.push(inputs.map(({ value }) => value));
        return inputs.map(() => undefined);
      },
      { applicationOf, actorOf: ({ actor }) => actor },
    );
    const actors = [undefined, robot, importer, robot, undefined, { ...importer! }];
    await Promise.all(actors.map((actor, index) => run({ ...given(1, `${index}`), actor })));
    expect(ran).toEqual([
      ['0', '4'],
      ['1', '3'],
      ['2', '5'],
    ]);
  });

  test('take turns, so that a busy application does not delay others', async () => {
    const ran: string[] = [];
    const run = coalesce(
      async (inputs: Given[], applicationId: number) => {
        ran.push(`${applicationId} ×${inputs.length}`);
        await nextTurn();
        return inputs.map(() => undefined);
      },
      { applicationOf, max: 2, atOnce: 1 },
    );
    const applications = [1, 1, 1, 1, 1, 2, 3, 3, 3];
    await Promise.all(applications.map((applicationId) => run(given(applicationId, ''))));
    expect(ran).toEqual(['1 ×2', '2 ×1', '3 ×2', '1 ×2', '3 ×1', '1 ×1']);
  });

  test('share the limits of statements at once and of bytes', async () => {
    let running = 0;
    const atOnce: number[] = [];
    const run = coalesce(
      async (inputs: Given[], _applicationId: number) => {
        atOnce.push(++running);
        await nextTurn();
        running--;
        return inputs.map(() => inputs.length);
      },
      { applicationOf, atOnce: 2, maxBytes: 5, bytesOf: ({ value }) => value.length },
    );
    const inputs = [given(1, 'aaaa'), given(2, 'bbb'), given(1, 'c'), given(3, 'ddddddd'), given(2, 'eee')];
    expect(await Promise.all(inputs.map(run))).toEqual([2, 1, 2, 1, 1]);
    expect(Math.max(...atOnce)).toBe(2);
  });

  test('an input that fails is retried with inputs of its application only', async () => {
    const ran: string[] = [];
    const run = coalesce(
      async (inputs: Given[], applicationId: number) => {
        ran.push(`${applicationId} ${inputs.map(({ value }) => value).join('')}`);
        if (inputs.some(({ value }) => value === 'p')) throw new Error('poison');
        return inputs.map(({ value }) => value);
      },
      { applicationOf },
    );
    const inputs = [given(1, 'a'), given(1, 'p'), given(2, 'b')];
    const outcomes = await Promise.allSettled(inputs.map(run));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(ran).toEqual(['1 ap', '2 b', '1 a', '1 p']);
  });
});
