import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { TRANSACTION_TIMEOUT_MS } from '../../db/client.ts';
import { connectTo } from '../../db/connection.ts';
import { DELETED, MOVED } from '../../resolvers/applications/delete.ts';
import { removeRows } from '../archive/remove.ts';
import { BE_MOVER, permitChanges } from './changes.ts';
import { copyApplication, DeletedError, requireNoJobs } from './copying.ts';
import { clearEvents, publishMove } from './positions.ts';
import { allTablesOf, REMOVED_TABLES, readMovedTables } from './tables.ts';

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

/** Work in the background is due to rows of these tables, and must not be done twice. */
const DUE_TABLES = ['unclaimed_files', 'destroyed_dialogs', 'deleted_classes'];

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
      await this.#leave(left);
      return left.number;
    }
    const arriving = places.find(({ importId }) => importId === MOVED);
    if (here?.importId === null) {
      if (!arriving) throw new Error(`application ${this.#id} is already in database ${to}`);
      await this.#undo(here.client, arriving.client);
      return to;
    }
    const home = places.find(({ importId }) => importId !== MOVED);
    if (arriving && (!home || home.importId === DELETED)) await this.#undoDeleted(arriving);
    if (!home) throw new Error(`application ${this.#id} does not exist`);
    if (home.importId === DELETED) throw new DeletedError({ applicationId: this.#id });
    if (home.importId !== null) throw new Error(`application ${this.#id} is being imported`);
    if (arriving && arriving !== here)
      throw new Error(
        `application ${this.#id} has an unfinished move to database ${arriving.number}; repeat that, or undo it by a move to database ${home.number}`,
      );
    await requireNoJobs(home.client, this.#id);
    await this.#copy(home);
    await this.#leave(home);
    return home.number;
  }

  /** Of an application that was deleted after an interrupted move; its home may not have it any more. */
  async #undoDeleted(arriving: Place): Promise<void> {
    for (const client of this.#clients) if (client !== arriving.client) await this.#undo(client, arriving.client);
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

  async #copy(home: Place): Promise<void> {
    const { to, onStep, onRows } = this.#options;
    const target = this.#clients[to]!;
    const databases = { source: home.client, target };
    const tables = await readMovedTables(home.client);
    try {
      await copyApplication({ applicationId: this.#id, ...databases, to, onStep, onRows }, tables);
    } catch (error) {
      if (error instanceof DeletedError) await this.#undo(home.client, target);
      throw error;
    }
  }

  /** Ends connections, which continue in the target, and removes the rows. Files stay, because all databases share them. */
  async #leave({ client: source }: Place): Promise<void> {
    const { onStep, wake, settleMs = TRANSACTION_TIMEOUT_MS } = this.#options;
    onStep('removing');
    await publishMove(source, this.#id);
    wake();
    await removeRows(source, DUE_TABLES, this.#id);
    await pause(settleMs);
    // Only now, because who looks for the application may have asked the target before the switch.
    await source.query('UPDATE applications SET import_id = $2 WHERE id = $1', [this.#id, MOVED]);
    await removeRows(source, REMOVED_TABLES, this.#id);
    await clearEvents(source, this.#id);
    // Before the row of the application, without which a repeated move would not find them.
    await permitChanges(source, allTablesOf(await readMovedTables(source)));
    await source.query('DELETE FROM applications WHERE id = $1', [this.#id]);
  }

  async #undo(home: pg.Client, arriving: pg.Client): Promise<void> {
    await permitChanges(home, allTablesOf(await readMovedTables(home)));
    await home.query('UPDATE applications SET moves_to = NULL WHERE id = $1', [this.#id]);
    await home.query('DELETE FROM row_changes WHERE application_id = $1', [this.#id]);
    await removeRows(arriving, REMOVED_TABLES, this.#id);
    await arriving.query(`DELETE FROM events_outbox WHERE application_id = $1 AND kind <> 'applicationMoved'`, [
      this.#id,
    ]);
    await arriving.query('DELETE FROM applications WHERE id = $1', [this.#id]);
  }
}
