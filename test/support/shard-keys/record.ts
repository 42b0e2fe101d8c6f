// Notes every statement that a test file makes the service send, for `reporter.ts`.
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, aroundEach } from 'vitest';

const folder = process.env.STATEMENTS_FOLDER!;
const sent = new Set<string>();

/** What a test does itself. Requests to the service and its clock do not come from there, so they are told apart. */
const ofTest = new AsyncLocalStorage<true>();
aroundEach((runTest) => ofTest.run(true, runTest));

const { query } = pg.Client.prototype;
pg.Client.prototype.query = function noted(this: pg.Client, ...args: unknown[]) {
  const [statement] = args;
  if (!ofTest.getStore() && typeof statement === 'object' && statement !== null && 'text' in statement)
    sent.add(String(statement.text));
  return (query as (...all: unknown[]) => unknown).apply(this, args);
} as typeof query;

afterAll(() => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${randomUUID()}.json`), JSON.stringify([...sent]));
});
