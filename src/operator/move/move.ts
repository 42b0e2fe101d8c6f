import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { TRANSACTION_TIMEOUT_MS } from '../../db/client.ts';
import { connectTo } from '../../db/connection.ts';
import { HOME_LIFETIME_MS } from '../../db/shards.ts';
import { SECOND } from '../../lib/time.ts';
import { DELETED, MOVED } from '../../resolvers/applications/delete.ts';
import { countMovedActivity } from '../../resolvers/applications/stats.ts';
import { inTransaction, nameActor, raiseSequences } from '../archive/import-progress.ts';
import { BE_MOVER, forgetChanges, noteChanges, permitChanges, refuseChanges, repeatChanges } from './changes.ts';
import { clearEvents, publishMove, reservePositions } from './positions.ts';
import { copyRows, type Move } from './rows.ts';
import { type MovedTable, type MovedTables, REMOVED_TABLES, readMovedTables, sequencesOf } from './tables.ts';

export interface MoveOptions {
  databases: readonly pg.ClientConfig[];
  applicationId: number;
  /** Number of the database. */
  to: number;
  onStep: (step: 'copying' | 'switching' | 'removing') => void;
  onRows: (count: number) => void;
  /** Readers of events look at once. */
  wake: () => void;
  /** Milliseconds between the switch and the removal. Default: as long as a request may still read the old rows. */
  settleMs?: number;
}

/** Advisory lock: one move at a time, because all moves use the same names of triggers. */
const LOCK = 7_270_103;

const APPLICATIONS: MovedTable = { name: 'applications', columns: [], key: ['id'], exchangeable: [] };

/** The rest of the changes is repeated while writes are refused. */
const FEW_CHANGES = 500;

/** Work in the background is due to rows of these tables, and must not be done twice. */
const DUE_TABLES = ['unclaimed_files', 'destroyed_dialogs', 'deleted_classes'];

const PUSH_TIMEOUT_MS = 30 * SECOND;
const PUSH_POLL_MS = 200;

/** Rows per statement, so that no statement holds its locks for long. */
const REMOVE_BATCH = 5_000;

interface Place {
  id: number;
  number: number;
  client: pg.Client;
  importId: string | null;
  movesTo: number | null;
}

/**
 * Moves an application to another database while it is used; writes are refused at its end, for seconds. An interrupted
 * move continues when it is repeated; a move to the database where the application still is undoes it.
 * @throws {Error} one line that says what to do
 */
export async function moveApplication(options: MoveOptions): Promise<{ from: number }> {
  const { databases, to } = options;
  if (!(to in databases)) throw new Error(`there is no database ${to}; there are ${databases.length}`);
  const clients: pg.Client[] = [];
  try {
    for (const config of databases) clients.push(await connectTo(config));
    for (const client of clients) await client.query(BE_MOVER);
    await requireAlone(clients[0]!);
    return { from: await new Mover(options, clients).run() };
  } finally {
    for (const client of clients) await client.end();
  }
}

async function requireAlone(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [LOCK]);
  if (!rows[0]!.locked) throw new Error('another application is being moved');
}

class Mover {
  readonly #options: MoveOptions;
  readonly #clients: readonly pg.Client[];
  readonly #id: number;

  constructor(options: MoveOptions, clients: readonly pg.Client[]) {
    this.#options = options;
    this.#clients = clients;
    this.#id = options.applicationId;
  }

  /** @returns where the application was */
  async run(): Promise<number> {
    const { to } = this.#options;
    const all = await this.#findPlaces();
    const other = all.find(({ id, importId, movesTo }) => id !== this.#id && (importId === MOVED || movesTo !== null));
    if (other)
      throw new Error(`application ${other.id} has an unfinished move; repeat that, or undo it by a move back`);
    const places = all.filter(({ id }) => id === this.#id);
    const left = places.find(({ number, movesTo }) => number !== to && movesTo === to);
    const here = places.find(({ number }) => number === to);
    if (here?.importId === null && left) {
      await this.#leave(left, await readMovedTables(left.client));
      return left.number;
    }
    const arriving = places.find(({ importId }) => importId === MOVED);
    if (here?.importId === null) {
      if (!arriving) throw new Error(`application ${this.#id} is already in database ${to}`);
      await this.#undo(here, arriving);
      return to;
    }
    const home = places.find(({ importId }) => importId !== MOVED);
    if (!home) throw new Error(`application ${this.#id} does not exist`);
    if (home.importId !== null)
      throw new Error(`application ${this.#id} is being ${home.importId === DELETED ? 'deleted' : 'imported'}`);
    if (arriving && arriving !== here)
      throw new Error(
        `application ${this.#id} has an unfinished move to database ${arriving.number}; repeat that, or undo it by a move to database ${home.number}`,
      );
    await this.#requireNoJobs(home.client);
    const tables = await readMovedTables(home.client);
    await this.#copy(home, tables);
    await this.#leave({ ...home, movesTo: to }, tables);
    return home.number;
  }

  async #findPlaces(): Promise<Place[]> {
    const found = this.#clients.map(async (client, number) => {
      const { rows } = await client.query<Omit<Place, 'number' | 'client'>>(
        `SELECT id, import_id AS "importId", moves_to AS "movesTo" FROM applications
        WHERE id = $1 OR import_id = $2 OR moves_to IS NOT NULL`,
        [this.#id, MOVED],
      );
      return rows.map((row) => ({ number, client, ...row }));
    });
    return (await Promise.all(found)).flat();
  }

  /** The process that runs a job would not find it. */
  async #requireNoJobs(source: pg.Client): Promise<void> {
    const { rows } = await source.query(
      `SELECT FROM jobs WHERE application_id = $1 AND state IN ('queued', 'running') LIMIT 1`,
      [this.#id],
    );
    if (rows.length > 0)
      throw new Error(`a backup or check of application ${this.#id} is running: wait until it ends, or cancel it`);
  }

  async #copy({ client: source }: Place, tables: MovedTables): Promise<void> {
    const { to, onStep } = this.#options;
    const target = this.#clients[to]!;
    await this.#arrive(source, target);
    const { shift, limit } = await reservePositions(source, target, this.#id);
    const move: Move = { applicationId: this.#id, source, target, shift };
    onStep('copying');
    await noteChanges(move, tables.inUse);
    await this.#copyInUse(move, tables.inUse);
    await source.query('UPDATE applications SET moves_to = $2 WHERE id = $1', [this.#id, to]);
    // A statement may be sent later than its database was looked up.
    const noticed = pause(2 * HOME_LIFETIME_MS);
    while ((await this.#repeat(move, tables.inUse)) > FEW_CHANGES);
    await noticed;
    await this.#repeat(move, tables.inUse);
    onStep('switching');
    const pushed = tables.refusing.filter(({ name }) => name.startsWith('push_'));
    const others = tables.refusing.filter((table) => !pushed.includes(table));
    await refuseChanges(move, [...tables.inUse, ...others, APPLICATIONS]);
    await this.#settlePushes(source);
    await refuseChanges(move, pushed);
    await this.#switch(move, tables, limit);
  }

  /** All access is denied until the end, as during an import. */
  async #arrive(source: pg.Client, target: pg.Client): Promise<void> {
    const values = `'{"import_id": "${MOVED}", "imported_entries": 0, "user_count": 0, "moves_to": null}'::jsonb`;
    const { rows } = await source.query<{ row: string }>(
      `SELECT (to_jsonb(a) || ${values})::text AS row FROM applications a WHERE id = $1`,
      [this.#id],
    );
    await target.query(
      `INSERT INTO applications SELECT * FROM json_populate_record(NULL::applications, $1::json) ON CONFLICT DO NOTHING`,
      [rows[0]!.row],
    );
  }

  /** Tables that an interrupted run has copied need only their changes. */
  async #copyInUse(move: Move, tables: MovedTable[]): Promise<void> {
    const { target } = move;
    const { rows } = await target.query<{ copied: number }>(
      'SELECT imported_entries AS copied FROM applications WHERE id = $1',
      [this.#id],
    );
    const { copied } = rows[0]!;
    const repeated = await inSnapshot(move.source, async () => {
      const positions = await inTransaction(target, () => repeatChanges(move, tables.slice(0, copied + 1)));
      for (const [nth, table] of tables.entries()) {
        if (nth < copied) continue;
        await copyRows(move, table, this.#options.onRows);
        await target.query('UPDATE applications SET imported_entries = $2 WHERE id = $1', [this.#id, nth + 1]);
      }
      return positions;
    });
    await forgetChanges(move, repeated);
  }

  async #repeat(move: Move, tables: MovedTable[]): Promise<number> {
    const repeated = await inSnapshot(move.source, () => inTransaction(move.target, () => repeatChanges(move, tables)));
    await forgetChanges(move, repeated);
    this.#options.onRows(repeated.length);
    return repeated.length;
  }

  /** Messages become pushes where they were sent. Deliveries whose outcome is unknown are repeated in the target. */
  async #settlePushes(source: pg.Client): Promise<void> {
    const deadline = performance.now() + PUSH_TIMEOUT_MS;
    for (;;) {
      const { rows } = await source.query<{ isFound: boolean; isDelivering: boolean }>(
        `SELECT NOT EXISTS (SELECT FROM push_sends WHERE application_id = $1 AND NOT is_spread AND finished_at IS NULL)
            AND (NOT EXISTS (SELECT FROM push_subscriptions WHERE application_id = $1)
              OR NOT EXISTS (SELECT FROM events_outbox e, push_cursor c
                WHERE e.position > c.position AND e.application_id = $1 AND e.kind = 'messageSent')) AS "isFound",
          EXISTS (SELECT FROM push_sends s WHERE s.application_id = $1 AND s.finished_at IS NULL
            AND NOT EXISTS (SELECT FROM push_deliveries d WHERE d.application_id = s.application_id
              AND d.send_id = s.id AND d.status = 'pending' AND d.retry_at IS NOT NULL)) AS "isDelivering"`,
        [this.#id],
      );
      const { isFound, isDelivering } = rows[0]!;
      const isLate = performance.now() > deadline;
      if (isFound && (!isDelivering || isLate)) return;
      if (isLate)
        throw new Error(
          `pushes of application ${this.#id} are waiting and no process sends them; start one and repeat the command`,
        );
      await pause(PUSH_POLL_MS);
    }
  }

  /** One transaction of the target, after which the application is there. */
  async #switch(move: Move, tables: MovedTables, limit: bigint): Promise<void> {
    const { source, target, shift } = move;
    const values = `'{"import_id": null, "imported_entries": 0, "moves_to": null}'::jsonb`;
    await raiseSequences(target, await sequencesOf(source, [APPLICATIONS, ...tables.inUse, ...tables.refusing]));
    await inSnapshot(source, async () => {
      await this.#requireNoJobs(source);
      const { rows } = await source.query<{ row: string; last: string; counted: string }>(
        `SELECT (to_jsonb(a) || ${values} - 'user_count')::text AS row,
          (SELECT last_value FROM events_outbox_position_seq) AS last, (SELECT position FROM activity_cursor) AS counted
        FROM applications a WHERE id = $1`,
        [this.#id],
      );
      const { row, last, counted } = rows[0]!;
      if (BigInt(last) > limit)
        throw new Error(`the positions of events have jumped; undo the move of application ${this.#id}, and repeat it`);
      await inTransaction(target, async () => {
        await repeatChanges(move, tables.inUse);
        for (const table of tables.refusing) await copyRows(move, table, this.#options.onRows);
        await target.query(
          `UPDATE push_deliveries SET retry_at = now()
          WHERE application_id = $1 AND status = 'pending' AND retry_at IS NULL`,
          [this.#id],
        );
        await target.query('UPDATE moved_positions SET last = $3 WHERE application_id = $1 AND last = $2', [
          this.#id,
          String(limit),
          last,
        ]);
        await target.query(countMovedActivity(this.#id, BigInt(counted) + shift, BigInt(last) + shift));
        await nameActor(target);
        await target.query(await updateOfApplication(target), [row, this.#id]);
      });
    });
  }

  /** Ends connections, which continue in the target, and removes the rows. Files stay, because all databases share them. */
  async #leave({ client: source }: Place, { inUse, refusing }: MovedTables): Promise<void> {
    const { onStep, wake, settleMs = TRANSACTION_TIMEOUT_MS } = this.#options;
    onStep('removing');
    await publishMove(source, this.#id);
    wake();
    await this.#removeRows(source, DUE_TABLES);
    await pause(settleMs);
    // Only now, because who looks for the application may have asked the target before the switch.
    await source.query('UPDATE applications SET import_id = $2 WHERE id = $1', [this.#id, MOVED]);
    await this.#removeRows(source, REMOVED_TABLES);
    await clearEvents(source, this.#id);
    await source.query('DELETE FROM applications WHERE id = $1', [this.#id]);
    await permitChanges(source, [...inUse, ...refusing, APPLICATIONS]);
  }

  async #undo({ client: home }: Place, { client: arriving }: Place): Promise<void> {
    const tables = await readMovedTables(home);
    await permitChanges(home, [...tables.inUse, ...tables.refusing, APPLICATIONS]);
    await home.query('UPDATE applications SET moves_to = NULL WHERE id = $1', [this.#id]);
    await home.query('DELETE FROM row_changes WHERE application_id = $1', [this.#id]);
    await this.#removeRows(arriving, REMOVED_TABLES);
    await arriving.query(`DELETE FROM events_outbox WHERE application_id = $1 AND kind <> 'applicationMoved'`, [
      this.#id,
    ]);
    await arriving.query('DELETE FROM applications WHERE id = $1', [this.#id]);
  }

  async #removeRows(client: pg.Client, tables: readonly string[]): Promise<void> {
    for (const name of tables) {
      let deleted: number | null;
      do {
        ({ rowCount: deleted } = await client.query(
          `DELETE FROM "${name}" WHERE ctid = ANY(ARRAY(
            SELECT ctid FROM "${name}" WHERE application_id = $1 LIMIT ${REMOVE_BATCH}))`,
          [this.#id],
        ));
      } while (deleted === REMOVE_BATCH);
    }
  }
}

/** Read-only, so that readers of the outbox do not wait for it to end. */
async function inSnapshot<Result>(source: pg.Client, work: () => Promise<Result>): Promise<Result> {
  await source.query('BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY');
  try {
    return await work();
  } finally {
    await source.query('ROLLBACK').catch(() => {});
  }
}

/** Triggers have counted its users. */
async function updateOfApplication(target: pg.Client): Promise<string> {
  const { rows } = await target.query<{ columns: string }>(
    `SELECT string_agg(quote_ident(attname), ', ') AS columns FROM pg_attribute
    WHERE attrelid = 'applications'::regclass AND attnum > 0 AND NOT attisdropped AND attname NOT IN ('id', 'user_count')`,
  );
  const { columns } = rows[0]!;
  return `UPDATE applications SET (${columns}) = (SELECT ${columns} FROM json_populate_record(NULL::applications, $1::json))
    WHERE id = $2`;
}
