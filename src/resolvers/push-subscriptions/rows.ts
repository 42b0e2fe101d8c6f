import type { UserContext } from '../../context.ts';
import { Prisma } from '../../db/client.ts';
import type { BrowserKeys } from '../../gateways/push/gateway.ts';

export const MAX_DEVICES = 10;

export function jsonOf(keys: BrowserKeys | null): Prisma.InputJsonObject | typeof Prisma.DbNull {
  return keys ? { ...keys } : Prisma.DbNull;
}

interface Devices {
  findMany(query: {
    where: { applicationId: number; userId: number };
    orderBy: { updatedAt?: 'desc'; id?: 'desc' }[];
    skip: number;
    select: { id: true };
  }): Promise<{ id: number }[]>;
  deleteMany(query: { where: { applicationId: number; id: { in: number[] } } }): Promise<unknown>;
}

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
