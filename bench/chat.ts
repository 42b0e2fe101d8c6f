import { strictEqual } from 'node:assert';
import { call, tokenHeader } from './calls.ts';
import { READS, type Read } from './chat-reads.ts';
import { WRITES, type Write } from './chat-writes.ts';
import type { Comparison } from './comparison.ts';
import type { Environment } from './environment.ts';
import { type SeededDialog, startSeededDialog } from './seeded-dialog.ts';
import { takeTurns } from './turns.ts';

const FEW = 1_000;
const MANY = 1_000_000;
const SECONDS_AT_MOST = 0.5;
const NOTE = `chat – a dialog of ${FEW} messages beside one of ${MANY}, one request after the other: the ratio is the growth, at most 2`;

export async function chat(environment: Environment): Promise<Comparison[]> {
  const few = await startSeededDialog(FEW, environment);
  const many = await startSeededDialog(MANY, environment);
  const seconds = Math.min(environment.seconds, SECONDS_AT_MOST);
  const comparison = (name: string, side: (seeded: SeededDialog) => Comparison['service']): Comparison => ({
    name: `chat ${name}, 1k : 1M`,
    service: side(few),
    bare: side(many),
    note: () => NOTE,
  });
  return [
    ...READS.map((one) => comparison(one.name, (seeded) => () => takeTurns(reading(one, seeded), seconds))),
    ...WRITES.map((one) => comparison(one.name, (seeded) => writing(one, seeded, seconds))),
  ];
}

function reading({ name, request, answer }: Read, seeded: SeededDialog) {
  const { path, json } = request(seeded);
  const options = { method: json ? 'POST' : 'GET', headers: tokenHeader(seeded.reader), json };
  return async () => async () => {
    const body = JSON.parse(await call(seeded.url + path, 200, options));
    const { of, is } = answer(seeded);
    strictEqual(JSON.stringify(of(body)), JSON.stringify(is), `chat ${name}`);
  };
}

function writing({ turn }: Write, seeded: SeededDialog, seconds: number): Comparison['service'] {
  const next = turn(seeded);
  return () => takeTurns(next, seconds);
}
