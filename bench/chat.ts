import { strictEqual } from 'node:assert';
import type { Arena } from './arena.ts';
import { call, tokenHeader } from './calls.ts';
import { READS, type Read } from './chat-reads.ts';
import { WRITES, type Write } from './chat-writes.ts';
import type { Contest } from './contest.ts';
import { startTalk, type Talk } from './talk.ts';
import { takeTurns } from './turns.ts';

const FEW = 1_000;
const MANY = 1_000_000;
const SECONDS_AT_MOST = 0.5;
const NOTE = `chat – a dialog of ${FEW} messages beside one of ${MANY}, one request after the other: the ratio is the growth, at most 2`;

export async function chat(arena: Arena): Promise<Contest[]> {
  const few = await startTalk(FEW, arena);
  const many = await startTalk(MANY, arena);
  const seconds = Math.min(arena.seconds, SECONDS_AT_MOST);
  const contest = (name: string, side: (talk: Talk) => Contest['service']): Contest => ({
    name: `chat ${name}, 1k : 1M`,
    service: side(few),
    bare: side(many),
    note: () => NOTE,
  });
  return [
    ...READS.map((one) => contest(one.name, (talk) => () => takeTurns(reading(one, talk), seconds))),
    ...WRITES.map((one) => contest(one.name, (talk) => writing(one, talk, seconds))),
  ];
}

function reading({ name, request, answer }: Read, talk: Talk) {
  const { path, json } = request(talk);
  const options = { method: json ? 'POST' : 'GET', headers: tokenHeader(talk.reader), json };
  return async () => async () => {
    const body = JSON.parse(await call(talk.url + path, 200, options));
    const { of, is } = answer(talk);
    strictEqual(JSON.stringify(of(body)), JSON.stringify(is), `chat ${name}`);
  };
}

function writing({ turn }: Write, talk: Talk, seconds: number): Contest['service'] {
  const next = turn(talk);
  return () => takeTurns(next, seconds);
}
