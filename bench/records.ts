import { deepStrictEqual, strictEqual } from 'node:assert';
import { call, tokenHeader } from './calls.ts';
import type { Comparison } from './comparison.ts';
import type { Environment } from './environment.ts';
import { type Car, QUESTIONS, READS, type RecordRead } from './record-reads.ts';
import { FEW, MANY, type SeededRecords, SOME, startSeededRecords } from './seeded-records.ts';
import { APPLICATION } from './service.ts';
import { takeTurns } from './turns.ts';

const SECONDS_AT_MOST = 0.5;

export async function records(environment: Environment): Promise<Comparison[]> {
  const seeded = await startSeededRecords(environment);
  const seconds = Math.min(environment.seconds, SECONDS_AT_MOST);
  return READS.flatMap((read) =>
    [SOME, MANY].map(
      (size): Comparison => ({
        name: `records ${read.name}, 1k : ${size === MANY ? '1M' : '100k'}`,
        service: () => takeTurns(asking(read, FEW, seeded), seconds),
        bare: () => takeTurns(asking(read, size, seeded), seconds),
        note: () => (read.isUnindexed ? UNINDEXED : NOTE),
      }),
    ),
  );
}

const NOTE =
  'records – 20 of a class of 1,000 beside 20 of a larger one in the same table, one request after the other: the ' +
  'ratio is the growth, at most 2, but where a thousandth is shared, as that is more in a larger class';
const UNINDEXED = 'records, without index – every record of the class is looked at, so nothing is promised of them';

function asking(read: RecordRead, size: number, seeded: SeededRecords) {
  const { name, reader, className, query, items: count, isRight } = read;
  const person = reader(seeded);
  const headers = person ? tokenHeader(person) : { Authorization: `ApiKey ${APPLICATION.apiKey}` };
  let asked = 0;
  return async () => {
    const nth = asked++ % QUESTIONS;
    const path = `/data/${className(size)}.json?limit=20&${query(nth, size)}`;
    return async () => {
      const items: Car[] = JSON.parse(await call(seeded.url + path, 200, { headers })).items;
      // In the smallest class, a thousandth is one record.
      if (size > FEW) strictEqual(items.length, count, `records ${name}: how many are found`);
      for (const [place, item] of items.entries()) {
        deepStrictEqual([name, item._id, isRight(item, items[place - 1], nth, size)], [name, item._id, true]);
      }
    };
  };
}
