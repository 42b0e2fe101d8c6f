import { Prisma } from '../../db/client.ts';
import { select } from '../../db/columns.ts';
import { between, type Order, orderBy } from '../../db/conditions.ts';
import { query } from '../../db/query.ts';
import { type Connection, type ConnectionArguments, connection, pageRequest } from '../../lib/pagination.ts';
import { JOB, type Job } from './rows.ts';

/** Ids begin with the time of creation. */
const NEWEST: Order = {
  column: Prisma.sql`j.id`,
  cast: 'text',
  id: Prisma.sql`j.id`,
  isAlwaysSet: true,
  isDescending: true,
};

export async function listJobs(applicationId: number, listing: ConnectionArguments): Promise<Connection<Job>> {
  const page = pageRequest(listing);
  const rows = await query(select`
    SELECT ${JOB} FROM jobs j WHERE j.application_id = ${applicationId} AND ${between(page, NEWEST)}
    ORDER BY ${orderBy(NEWEST, page.isBackward)} LIMIT ${page.limit + 1}`);
  return connection(rows, page, ({ id }) => ({ value: id, id }));
}
