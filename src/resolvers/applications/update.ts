import type { AdministrationContext } from '../../context.ts';
import type { Prisma } from '../../db/client.ts';
import { transact } from '../../db/transact.ts';
import type { Application } from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { NotFoundError } from '../../lib/errors.ts';
import { appendSessionMinutes } from '../../realtime/outbox.ts';
import { type ApplicationChanges, problemsOf, requireNone } from './rules.ts';

/** Effective from the next request; a new session lifetime also applies to open sessions. */
export async function updateApplication(
  changes: ApplicationChanges,
  { viewer, now, outbox }: Pick<AdministrationContext, 'viewer' | 'now' | 'outbox'>,
  { select }: Pick<Prisma.ApplicationDefaultArgs, 'select'> = {},
): Promise<Application> {
  const { applicationId: id } = viewer;
  requireNone(await problemsOf(changes));
  const at = now();
  const data: Prisma.ApplicationUpdateManyMutationInput = {
    name: changes.name?.trim(),
    signatureHash: changes.signatureHash ?? undefined,
    publicSignIn: changes.publicSignIn ?? undefined,
    usersList: changes.usersList ?? undefined,
    groups: changes.groups ?? undefined,
    filesByNumber: changes.filesByNumber ?? undefined,
    passwordReset: changes.passwordReset ?? undefined,
    appUrl: changes.appUrl?.trim() ?? changes.appUrl,
    strictCredentialChanges: changes.strictCredentialChanges ?? undefined,
    chatPushes: changes.chatPushes ?? undefined,
    sessionMinutes: changes.sessionMinutes,
    phoneMatching: changes.phoneMatching ?? undefined,
    phoneRegion: changes.phoneRegion,
    answerAssist: changes.answerAssist ?? undefined,
    summarize: changes.summarize ?? undefined,
    translate: changes.translate ?? undefined,
    gateway: changes.gateway ?? undefined,
    aiDailyTokens: changes.aiDailyTokens ?? undefined,
    updatedAt: at,
  };
  const updated = await transact(jobOwnerOf(viewer), async (transaction) => {
    const [application] = await transaction.application.updateManyAndReturn({ select, where: { id }, data });
    if (!application) throw new NotFoundError();
    if (changes.sessionMinutes !== undefined) await appendSessionMinutes(transaction, id, at);
    return application;
  });
  outbox.wake();
  return updated;
}
