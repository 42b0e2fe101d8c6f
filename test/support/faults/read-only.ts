import { ownConnection } from '../app/sql.ts';

/** Like a primary that became a standby: clients connect again, and may only read. */
export async function setReadOnly(isReadOnly: boolean): Promise<void> {
  const connection = await ownConnection();
  const [{ name }] = (await connection.query('SELECT quote_ident(current_database()) AS name')).rows;
  await connection.query('SET default_transaction_read_only = off');
  await connection.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`);
  await connection.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  await connection.end();
}
