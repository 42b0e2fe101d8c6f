import type { AdministrationContext } from '../../context.ts';
import type { Prisma } from '../../db/client.ts';
import { transact } from '../../db/transact.ts';
import type { Application } from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { NotFoundError, requireNone } from '../../lib/errors.ts';
import { appendNotices } from '../../realtime/outbox.ts';
import { type ApplicationChanges, NULLABLE_SETTINGS, problemsOf, SETTINGS } from './rules.ts';

/** Effective from the next request; a new session lifetime also applies to open sessions. */
export async function updateApplication(
  changes: ApplicationChanges,
  { viewer, now, outbox }: Pick<AdministrationContext, 'viewer' | 'now' | 'outbox'>,
  { select }: Pick<Prisma.ApplicationDefaultArgs, 'select'> = {},
): Promise<Application> {
  const { applicationId: id } = viewer;
  requireNone(await problemsOf(changes));
  const at = now();
  const data = { ...storedChanges(changes), updatedAt: at };
  const updated = await transact(jobOwnerOf(viewer), async (transaction) => {
    const [application] = await transaction.application.updateManyAndReturn({ select, where: { id }, data });
    if (!application) throw new NotFoundError();
    if (changes.sessionMinutes !== undefined || changes.maxSessionMinutes !== undefined)
      await appendNotices(transaction, 'sessionMinutesChanged', { applicationId: id, ids: [id] }, at);
    return application;
  });
  outbox.wake();
  return updated;
}

function storedChanges(changes: ApplicationChanges): Prisma.ApplicationUpdateManyMutationInput {
  const trimmed = { ...changes, name: changes.name?.trim(), appUrl: changes.appUrl?.trim() ?? changes.appUrl };
  return Object.fromEntries(
    SETTINGS.filter(
      (name) => trimmed[name] != null || (trimmed[name] === null && NULLABLE_SETTINGS.includes(name)),
    ).map((name) => [name, trimmed[name]]),
  );
}
