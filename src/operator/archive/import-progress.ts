import type { Readable } from 'node:stream';
import type pg from 'pg';
import { ACTOR_SETTING } from '../../db/client.ts';
import type { Storage } from '../../gateways/storage.ts';
import { OPERATOR } from '../../lib/actor.ts';
import { ArchiveError } from './archive-error.ts';
import { columnwise, type StorableRows, unnested } from './check.ts';
import { APPLICATIONS } from './tables.ts';

export interface ImportProgress {
  applicationId: number;
  /** Identifies the archive; null: the application is complete. */
  importId: string | null;
  /** Number of stored entries; -1: the import is being removed. */
  entries: number;
  /** Number of entries read in this run. */
  seen: number;
}

export async function progressOf(client: pg.Client, applicationIds: number[]): Promise<ImportProgress[]> {
  const { rows } = await client.query<Omit<ImportProgress, 'seen'>>(
    `SELECT id AS "applicationId", import_id AS "importId", imported_entries AS entries FROM applications
    WHERE id = ANY($1) ORDER BY id`,
    [applicationIds],
  );
  return rows.map((row) => ({ ...row, seen: 0 }));
}

/** All applications share the sequences. @throws {ArchiveError} an id leaves less than half of its sequence */
export async function requireRoom(client: pg.Client, highest: Map<string, bigint>): Promise<void> {
  for (const [sequence, value] of highest) {
    const { rows } = await client.query<{ last: string }>(
      'SELECT seqmax::text AS last FROM pg_sequence WHERE seqrelid = $1::regclass',
      [sequence],
    );
    if (value <= BigInt(rows[0]!.last) / 2n) continue;
    throw new ArchiveError(
      `the archive has the id ${value}, which would leave few ids of ${sequence} for all applications; --trust accepts it`,
    );
  }
}

/**
 * Locks each sequence, because its value must not change between reading and setting it. The steps of a sequence stay
 * its own, because each of several databases numbers files in steps (src/db/identity.ts).
 */
export async function raiseSequences(client: pg.Client, highest: Map<string, bigint>): Promise<void> {
  for (const [sequence, value] of highest) {
    await inTransaction(client, async () => {
      // Changes nothing, but locks the sequence.
      await client.query(`ALTER SEQUENCE ${sequence} NO CYCLE`);
      await client.query(
        `SELECT setval(s.seqrelid::regclass, last_value + ceil(($2::numeric - last_value) / s.seqincrement)::bigint * s.seqincrement)
        FROM ${sequence}, pg_sequence s WHERE s.seqrelid = $1::regclass
          AND CASE WHEN is_called THEN last_value < $2::bigint ELSE last_value <= $2 END`,
        [sequence, String(value)],
      );
    });
  }
}

/** @param rows undefined: the entry was stored before */
export async function storeRows(
  client: pg.Client,
  rows: StorableRows | undefined,
  progress: ImportProgress | { importId: string },
): Promise<void> {
  await inTransaction(client, async () => {
    if ('seen' in progress) await advance(client, progress);
    if (!rows) return;
    const { table, columns } = rows;
    const isApplication = table === APPLICATIONS;
    if (isApplication) await nameActor(client);
    const names = columns.map(({ name }) => `"${name}"`).concat(isApplication ? ['import_id'] : []);
    const values = columns
      .map(({ type }, index) => `c${index}::${type}`)
      .concat(isApplication ? [`$${columns.length + 1}::text`] : []);
    await client.query(
      `INSERT INTO "${table}" (${names.join(', ')}) SELECT ${values.join(', ')} FROM ${unnested(columns)}`,
      [...columnwise(rows), ...(isApplication ? [progress.importId] : [])],
    );
  });
}

/** Replaces a file that an interrupted run may have left. */
export async function storeFile(
  client: pg.Client,
  storage: Storage,
  { key, size, content }: { key: string; size: number; content: Readable },
  progress: ImportProgress,
): Promise<void> {
  await storage.delete(key);
  await storage.put(key, content, { maxBytes: size });
  await inTransaction(client, () => advance(client, progress));
}

export async function complete(client: pg.Client, importId: string, applicationIds: number[]): Promise<void> {
  await inTransaction(client, async () => {
    await nameActor(client);
    await client.query(
      `UPDATE applications SET import_id = NULL, imported_entries = 0 WHERE id = ANY($1) AND import_id = $2`,
      [applicationIds, importId],
    );
  });
}

async function advance(client: pg.Client, { applicationId, importId, seen }: ImportProgress): Promise<void> {
  const { rowCount } = await client.query(
    `UPDATE applications SET imported_entries = $3 WHERE id = $1 AND import_id = $2 AND imported_entries = $3 - 1`,
    [applicationId, importId, seen],
  );
  if (rowCount !== 1) throw new ArchiveError(`another process has changed the import of application ${applicationId}`);
}

/** The audit log has entries of imported applications, not of their rows. */
export async function nameActor(client: pg.Client): Promise<void> {
  await client.query('SELECT set_config($1, $2, true)', [ACTOR_SETTING, JSON.stringify(OPERATOR)]);
}

export async function inTransaction<Result>(client: pg.Client, work: () => Promise<Result>): Promise<Result> {
  await client.query('BEGIN');
  try {
    const result = await work();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {}); // fails if the connection is lost, which ends the transaction too
    throw error;
  }
}
