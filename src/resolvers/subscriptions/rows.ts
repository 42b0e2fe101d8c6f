import type { UserContext } from '../../context.ts';
import { Prisma } from '../../db/client.ts';
import type { BrowserKeys } from '../../gateways/push/gateway.ts';

/** Subscriptions, and push tokens, that one user may have. */
const MAX_DEVICES = 10;

/** The column of a browser's keys; the others have none. */
export function jsonOf(keys: BrowserKeys | null): Prisma.InputJsonObject | typeof Prisma.DbNull {
  return keys ? { ...keys } : Prisma.DbNull;
}

/** The table of either. */
interface Devices {
  findMany(query: {
    where: { applicationId: number; userId: number };
    orderBy: { updatedAt?: 'desc'; id?: 'desc' }[];
    skip: number;
    select: { id: true };
  }): Promise<{ id: number }[]>;
  deleteMany(query: { where: { applicationId: number; id: { in: number[] } } }): Promise<unknown>;
}

/** Of more than the caller may have, those that were told of longest ago go. */
export async function dropOldest(devices: Devices, { viewer }: UserContext): Promise<void> {
  const { applicationId, userId } = viewer;
  const surplus = await devices.findMany({
    where: { applicationId, userId },
    orderBy: [{ updatedAt: 'desc' }, { id: 'desc' }],
    skip: MAX_DEVICES,
    select: { id: true },
  });
  if (surplus.length === 0) return;
  await devices.deleteMany({ where: { applicationId, id: { in: surplus.map(({ id }) => id) } } });
}
