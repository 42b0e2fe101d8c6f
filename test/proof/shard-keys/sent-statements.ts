import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import pg from 'pg';

/** Statements that the service has sent; shared by the test files of a process. */
export const sent = new Set<string>();

/** Set while the test itself runs. Requests to the service and its timers do not inherit it. */
export const ofTest = new AsyncLocalStorage<true>();

// The pool calls back in the context of the caller that releases a connection, so bind each callback to its own.
const { connect } = pg.Pool.prototype;
pg.Pool.prototype.connect = function bound(this: pg.Pool, callback?: (...results: unknown[]) => void) {
  return (connect as (done?: unknown) => unknown).call(this, callback && AsyncResource.bind(callback));
} as typeof connect;

const { query } = pg.Client.prototype;
pg.Client.prototype.query = function recorded(this: pg.Client, ...args: unknown[]) {
  const [statement] = args;
  if (!ofTest.getStore() && typeof statement === 'object' && statement !== null && 'text' in statement)
    sent.add(String(statement.text));
  return (query as (...all: unknown[]) => unknown).apply(this, args);
} as typeof query;
