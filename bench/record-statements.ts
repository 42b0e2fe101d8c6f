import pg from 'pg';

// Preloaded into a service.
type Query = (this: pg.Client, config: unknown, ...others: unknown[]) => unknown;
const client = pg.Client.prototype as unknown as { query: Query };
const { query } = client;

client.query = function (config, ...others) {
  const { text, values = [] } = (config ?? {}) as { text?: string; values?: unknown[] };
  if (text) process.send?.({ text, values });
  return query.call(this, config, ...others);
};
