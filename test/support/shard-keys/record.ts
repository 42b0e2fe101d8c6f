// Notes every statement that a test file makes the service send, for `reporter.ts`.
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, aroundEach } from 'vitest';
import { MINUTE } from '../../../src/lib/time.ts';

const folder = process.env.STATEMENTS_FOLDER!;
export const sent = new Set<string>();

/** What a test does itself. Requests to the service and its clock do not come from there, so they are told apart. */
const ofTest = new AsyncLocalStorage<true>();
aroundEach((runTest) => ofTest.run(true, runTest));

// The sweep is for all applications (`exceptions.ts`); it comes by itself in tests that last long.
const SWEEP_EVERY = 5 * MINUTE;
const { setInterval: repeat } = globalThis;
globalThis.setInterval = ((callback: (...args: unknown[]) => void, milliseconds?: number, ...args: unknown[]) => {
  const isSweep = milliseconds === SWEEP_EVERY;
  return repeat(isSweep ? () => ofTest.run(true, callback, ...args) : callback, milliseconds, ...args);
}) as typeof setInterval;

// Who waits for a connection is told by whoever gives one back; what they then ask is their own all the same.
const { connect } = pg.Pool.prototype;
pg.Pool.prototype.connect = function bound(this: pg.Pool, callback?: (...results: unknown[]) => void) {
  return (connect as (told?: unknown) => unknown).call(this, callback && AsyncResource.bind(callback));
} as typeof connect;

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
