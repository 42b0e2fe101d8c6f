import type pg from 'pg';
import type { Storage } from '../../gateways/storage.ts';
import { TABLES_OF_APPLICATION } from '../../resolvers/applications/tables.ts';
import { fileKeys } from './files.ts';
import { inTransaction, nameActor } from './import-progress.ts';

/** Rows per statement, so that no statement holds its locks for long. */
const BATCH = 5_000;

export async function removeImport(client: pg.Client, storage: Storage, applicationId: number): Promise<void> {
  const mine = 'id = $1 AND import_id IS NOT NULL';
  await client.query(`UPDATE applications SET imported_entries = -1 WHERE ${mine}`, [applicationId]);
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY');
  for await (const key of fileKeys(client, applicationId)) await storage.delete(key);
  await client.query('COMMIT');
  await removeRows(client, TABLES_OF_APPLICATION, applicationId);
  await inTransaction(client, async () => {
    await nameActor(client);
    await client.query(`DELETE FROM applications WHERE ${mine}`, [applicationId]);
  });
}

export async function removeRows(client: pg.Client, tables: readonly string[], applicationId: number): Promise<void> {
  for (const table of tables) {
    let deleted: number | null;
    do {
      ({ rowCount: deleted } = await client.query(
        `DELETE FROM "${table}" WHERE ctid = ANY(ARRAY(
          SELECT ctid FROM "${table}" WHERE application_id = $1 LIMIT ${BATCH}))`,
        [applicationId],
      ));
    } while (deleted === BATCH);
  }
}
