import { db, type Prisma } from '../../db/client.ts';
import { fromEachShard, fromReachable } from '../../db/shards.ts';
import type { Application } from '../../generated/prisma/client.ts';
import type { AdministratorViewer } from '../../lib/access.ts';

export async function listApplications(): Promise<Application[]> {
  return atHome(await fromEachShard(() => db.application.findMany()));
}

/** Those in which the caller has a role, except unfinished imports, deleted ones and those of a database that is away. */
export async function listMyApplications(
  { administrator: { roles } }: AdministratorViewer,
  selection: Prisma.ApplicationDefaultArgs = {},
): Promise<Application[]> {
  const ids = roles.flatMap(({ applicationId }) => applicationId ?? []);
  const id = roles.some(({ applicationId }) => applicationId === null) ? undefined : { in: ids };
  const read = () => db.application.findMany({ ...selection, where: { id, importId: null } });
  return atHome(await fromReachable(read));
}

type Placed = Pick<Application, 'id' | 'importId' | 'movesTo'>;

/** Rows of several databases in the order of their ids: of an application that is being moved, the one that is used. */
export function atHome<Row extends Placed>(rows: Row[]): Row[] {
  const homeFirst = rows.sort((one, other) => one.id - other.id || rankOf(one) - rankOf(other));
  return homeFirst.filter(({ id }, nth) => homeFirst[nth - 1]?.id !== id);
}

function rankOf({ importId, movesTo }: Placed): number {
  return importId !== null ? 2 : movesTo !== null ? 1 : 0;
}
