import type { Context } from '../../context.ts';
import { db } from '../../db/client.ts';
import type { Session, User } from '../../generated/prisma/client.ts';
import { renderMail } from '../mail/render.ts';
import { isProven } from '../users/identities.ts';

/**
 * Mails the user about a sign-in on a device on which they have no other session, if the application wants it. Not after
 * the sign-up. In the background; failures are only logged.
 */
export function noticeDevice(
  user: User,
  session: Pick<Session, 'id' | 'device' | 'network'>,
  context: Pick<Context, 'mailer' | 'log'>,
): void {
  if (user.lastRequestAt === null || !isProven('email', user)) return;
  mailIfNew(user, session, context).catch((error: unknown) => {
    context.log.warn({ err: error }, 'could not send the notice about a new device; check the mail settings');
  });
}

async function mailIfNew(
  user: User,
  { id, device, network }: Pick<Session, 'id' | 'device' | 'network'>,
  { mailer }: Pick<Context, 'mailer'>,
): Promise<void> {
  const { applicationId, id: userId } = user;
  const application = await db.application.findUniqueOrThrow({ where: { id: applicationId } });
  if (!application.deviceMails) return;
  const where = { applicationId, userId, device, NOT: { id } };
  if (await db.session.findFirst({ where, select: { id: true } })) return;
  const values = {
    application: application.name,
    name: user.fullName ?? user.login ?? '',
    login: user.login ?? '',
    device: [device ?? 'Unknown device', network].filter(Boolean).join(', '),
  };
  await mailer.send({ to: user.email!, ...(await renderMail(applicationId, 'newDevice', values)) });
}
