import { db, type Prisma } from '../../db/client.ts';
import { fromEachShard, fromReachable } from '../../db/shards.ts';
import type { Application } from '../../generated/prisma/client.ts';
import type { AdministratorViewer } from '../../lib/access.ts';

export async function listApplications(): Promise<Application[]> {
  return inOrder(await fromEachShard(() => db.application.findMany()));
}

/** Those in which the caller has a role, except unfinished imports, deleted ones and those of a database that is away. */
export async function listMyApplications(
  { administrator: { roles } }: AdministratorViewer,
  selection: Prisma.ApplicationDefaultArgs = {},
): Promise<Application[]> {
  const ids = roles.flatMap(({ applicationId }) => applicationId ?? []);
  const id = roles.some(({ applicationId }) => applicationId === null) ? undefined : { in: ids };
  const read = () => db.application.findMany({ ...selection, where: { id, importId: null } });
  return inOrder(await fromReachable(read));
}

/** While an application moves, two databases have it. */
function inOrder(applications: Application[]): Application[] {
  const homeFirst = applications.sort((one, other) => one.id - other.id || rankOf(one) - rankOf(other));
  return homeFirst.filter(({ id }, nth) => homeFirst[nth - 1]?.id !== id);
}

function rankOf({ importId, movesTo }: Application): number {
  return importId !== null ? 2 : movesTo !== null ? 1 : 0;
}
