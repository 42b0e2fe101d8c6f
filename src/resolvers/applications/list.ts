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
  return inOrder(await fromReachable(read, () => true));
}

function inOrder(applications: Application[]): Application[] {
  return applications.sort((one, other) => one.id - other.id);
}
