import { db } from '../db/client.ts';
import { DAY } from '../lib/time.ts';
import { removeUser } from '../resolvers/accounts/delete.ts';

/** Per application and run, so that one application does not delay the others. */
const BATCH = 200;

/** Deletes guests without request for `guestDays`, like their own request would. */
export async function sweepGuests(now: Date): Promise<void> {
  const applications = await db.application.findMany({ where: { guestDays: { not: null }, importId: null } });
  for (const { id: applicationId, guestDays, catalogueVersion } of applications) {
    const before = new Date(now.getTime() - guestDays! * DAY);
    const guests = await db.user.findMany({
      where: {
        ...{ applicationId, isGuest: true, createdAt: { lt: before } },
        OR: [{ lastRequestAt: null }, { lastRequestAt: { lt: before } }],
      },
      take: BATCH,
    });
    const viewer = { kind: 'key', applicationId, catalogueVersion } as const;
    // Processes poll the events of sweeps.
    const outbox = { wake: () => {} };
    for (const guest of guests) await removeUser(guest, { viewer, now: () => now, outbox });
  }
}
