// Notes every statement that a test file makes the service send, for `reporter.ts`.
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll } from 'vitest';

const folder = process.env.STATEMENTS_FOLDER!;
const sent = new Set<string>();

const { query } = pg.Client.prototype;
pg.Client.prototype.query = function noted(this: pg.Client, ...args: unknown[]) {
  // Raw texts are the tests' own: what the service sends has a name or values, whoever makes it.
  const [statement] = args;
  if (typeof statement === 'object' && statement !== null && 'text' in statement) sent.add(String(statement.text));
  return (query as (...all: unknown[]) => unknown).apply(this, args);
} as typeof query;

afterAll(() => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${randomUUID()}.json`), JSON.stringify([...sent]));
});
