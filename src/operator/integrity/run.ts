import type pg from 'pg';
import { cancelOn } from '../../db/cancel.ts';
import { ACTOR_SETTING } from '../../db/client.ts';
import { connectTo } from '../../db/connection.ts';
import { walk } from '../../db/walk.ts';
import type { Storage } from '../../gateways/storage.ts';
import { type Actor, OPERATOR } from '../../lib/actor.ts';
import type { Check, Difference } from './check.ts';
import { checkFiles, FILE_CHECKS } from './files.ts';
import { MESSAGE_CHECKS } from './messages.ts';
import { PEOPLE_CHECKS } from './people.ts';
import { RECORD_CHECKS } from './records.ts';
import { STREAM_CHECKS } from './stream.ts';

export const ROW_CHECKS: readonly Check[] = [...MESSAGE_CHECKS, ...PEOPLE_CHECKS, ...RECORD_CHECKS, ...STREAM_CHECKS];

const SECRETS = {
  name: 'secrets',
  sentence: 'ENCRYPTION_KEY can decrypt the secrets of applications and administrators.',
};

export const CHECKS: readonly Pick<Check, 'name' | 'sentence'>[] = [...ROW_CHECKS, ...FILE_CHECKS, SECRETS];

export interface CheckOptions {
  database: pg.ClientConfig;
  storage: Storage | undefined;
  /** Null: of administrators. */
  countUndecryptable?: (applicationId: number | null) => Promise<number>;
  now: Date;
  applicationId: number | undefined;
  repairs: boolean;
  /** Who is responsible for repairs. Default: the operator. */
  actor?: Actor;
  signal?: AbortSignal;
  onBegin?: (check: string, applicationId: number | null) => void;
  onDifference: (difference: Difference, isRepaired: boolean) => void;
  checks?: readonly Check[];
}

/** Each check reads one snapshot with a cursor and takes no locks. @throws {Error} no such application */
export async function checkDatabase(options: CheckOptions): Promise<void> {
  const [client, fresh] = [await connectTo(options.database), await connectTo(options.database)];
  let forget = async () => {};
  try {
    if (options.repairs) for (const one of [client, fresh]) await nameActor(one, options.actor ?? OPERATOR);
    forget = await cancelOn(options.signal, options.database, client, fresh);
    const ids = await applicationIds(client, options.applicationId);
    for (const check of options.checks ?? ROW_CHECKS) {
      if (check.needs && !(await exists(client, check.needs))) continue;
      const global = options.applicationId === undefined ? [null] : [];
      for (const id of check.isGlobal ? global : ids) await runCheck(check, id, { client, fresh }, options);
    }
    const { storage, now } = options;
    for (const applicationId of storage ? ids : []) {
      options.onBegin?.('files', applicationId);
      await inSnapshot(client, async () => {
        for await (const difference of checkFiles({ applicationId, client, fresh, storage: storage!, now })) {
          options.signal?.throwIfAborted();
          options.onDifference(difference, false);
        }
      });
    }
    const owners = options.applicationId === undefined ? [...ids, null] : ids;
    for (const owner of options.countUndecryptable ? owners : []) await checkSecrets(owner, options);
  } catch (error) {
    options.signal?.throwIfAborted(); // the error is then a consequence of the abort
    throw error;
  } finally {
    await forget();
    await Promise.all([client.end(), fresh.end()]);
  }
}

/** For all transactions of the connection. */
async function nameActor(client: pg.Client, actor: Actor): Promise<void> {
  await client.query('SELECT set_config($1, $2, false)', [ACTOR_SETTING, JSON.stringify(actor)]);
}

async function checkSecrets(
  applicationId: number | null,
  { countUndecryptable, signal, onBegin, onDifference }: CheckOptions,
) {
  signal?.throwIfAborted();
  onBegin?.(SECRETS.name, applicationId);
  const count = await countUndecryptable!(applicationId);
  const difference = {
    check: SECRETS.name,
    applicationId,
    row: {},
    kept: `${count} encrypted with another key`,
    counted: null,
  };
  if (count > 0) onDifference(difference, false);
}

interface Connections {
  client: pg.Client;
  fresh: pg.Client;
}

async function runCheck(
  { name, sql, repair }: Check,
  applicationId: number | null,
  { client, fresh }: Connections,
  { repairs, signal, onBegin, onDifference }: CheckOptions,
): Promise<void> {
  signal?.throwIfAborted();
  onBegin?.(name, applicationId);
  const values = applicationId === null ? [] : [applicationId];
  await inSnapshot(client, async () => {
    for await (const [row, kept, counted] of walk(client, sql, values)) {
      signal?.throwIfAborted();
      const difference = { check: name, applicationId, row: JSON.parse(row!), kept: kept!, counted: counted! };
      const isRepaired = repairs && repair !== undefined && (await repairRow(fresh, repair, [applicationId, row!]));
      onDifference(difference, isRepaired);
    }
  });
}

async function repairRow(client: pg.Client, statements: readonly string[], values: unknown[]): Promise<boolean> {
  await client.query('BEGIN');
  try {
    let changed = 0;
    for (const statement of statements) changed = (await client.query(statement, values)).rowCount ?? 0;
    await client.query('COMMIT');
    return changed > 0;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

/** A read-only snapshot has no transaction id, so readers of the outbox do not wait for it to end. */
async function inSnapshot(client: pg.Client, work: () => Promise<void>): Promise<void> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    // A check scans complete tables, so it has no timeout. UTC makes printed times independent of the server.
    await client.query("SET LOCAL statement_timeout = 0; SET LOCAL TimeZone = 'UTC'");
    await work();
  } finally {
    await client.query('ROLLBACK');
  }
}

async function applicationIds(client: pg.Client, wanted: number | undefined): Promise<number[]> {
  const { rows } = await client.query<{ id: number }>(
    'SELECT id FROM applications WHERE ($1::int IS NULL OR id = $1) AND import_id IS NULL ORDER BY id',
    [wanted ?? null],
  );
  if (wanted !== undefined && rows.length === 0) throw new Error(`application ${wanted} does not exist`);
  return rows.map(({ id }) => id);
}

async function exists(client: pg.Client, table: string): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>('SELECT to_regclass($1) IS NOT NULL AS exists', [table]);
  return rows[0]!.exists;
}
