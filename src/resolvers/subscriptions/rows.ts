import { Prisma } from '../../db/client.ts';
import type { BrowserKeys } from '../../lib/device-rules.ts';

/** Subscriptions, and push tokens, that one user may have (gaps §10). */
export const MAX_DEVICES = 10;

/** The column of a browser's keys; the others have none. */
export function jsonOf(keys: BrowserKeys | null): Prisma.InputJsonObject | typeof Prisma.DbNull {
  return keys ? { ...keys } : Prisma.DbNull;
}
