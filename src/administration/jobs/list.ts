import { select } from '../../db/columns.ts';
import { newestFirst, rowsOf } from '../../db/conditions.ts';
import { query } from '../../db/query.ts';
import { type Connection, type ConnectionArguments, connection, pageRequest } from '../../lib/pagination.ts';
import { JOB, type Job } from './rows.ts';

/** Ids begin with the time of creation. */
const NEWEST = newestFirst('j.id', 'text');

export async function listJobs(applicationId: number, listing: ConnectionArguments): Promise<Connection<Job>> {
  const page = pageRequest(listing);
  const rows = await query(select`
    SELECT ${JOB} FROM jobs j WHERE j.application_id = ${applicationId} AND ${rowsOf(page, NEWEST)}`);
  return connection(rows, page, ({ id }) => ({ value: id, id }));
}
