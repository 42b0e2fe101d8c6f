import type { Context } from '../../context.ts';
import { db } from '../../db/client.ts';
import { BACKGROUND, OPERATOR_JOBS, transact } from '../../db/transact.ts';
import type { Administrator as StoredAdministrator } from '../../generated/prisma/client.ts';
import { NotFoundError } from '../../lib/errors.ts';
import { mailHtml } from '../../lib/mail-html.ts';
import { MINUTE } from '../../lib/time.ts';
import { createLink, type LinkServices } from './links.ts';
import { lockAdministrators } from './rows.ts';
import { emailOf, requireConsole } from './rules.ts';
import { endSessions } from './sessions.ts';

/** At most one mail per address in this time. */
const MAIL_INTERVAL_MS = MINUTE;

/**
 * Always succeeds, and continues in the background, so that neither the result nor its duration reveals who is an
 * administrator. At most one mail per minute and address.
 */
export async function requestAdministratorLink(email: string, context: Context): Promise<true> {
  requireConsole(context);
  const found = await db.administrator.findUnique({ where: { email: emailOf(email) } });
  if (found) {
    sendLink(found, context).catch((error: unknown) =>
      context.log.error({ err: error }, 'the mail with a link for an administrator was not sent'),
    );
  }
  return true;
}

async function sendLink({ id, email }: Pick<StoredAdministrator, 'id' | 'email'>, context: Context): Promise<void> {
  const url = await transact(BACKGROUND, async (transaction) => {
    await transaction.$executeRaw`SELECT FROM administrators WHERE id = ${id} FOR NO KEY UPDATE`;
    const createdAt = { gt: new Date(context.now().getTime() - MAIL_INTERVAL_MS) };
    const where = { administratorId: id, purpose: 'passwordReset' as const, createdAt };
    if ((await transaction.administratorLink.count({ where })) > 0) return undefined;
    return (await createLink(transaction, { purpose: 'passwordReset', administratorId: id }, context)).url;
  });
  if (!url) return;
  const text = resetText(url);
  const html = mailHtml(text, url);
  await context.mailer.send({ to: email, subject: 'Set a new password for the console', text, html });
}

/** For the operator, who passes the link on. @throws {NotFoundError} */
export async function createLinkFor(email: string, services: LinkServices): Promise<string> {
  const found = await db.administrator.findUnique({ where: { email: emailOf(email) } });
  if (!found) throw new NotFoundError();
  const { url } = await transact(OPERATOR_JOBS, (transaction) =>
    createLink(transaction, { purpose: 'passwordReset', administratorId: found.id }, services),
  );
  return url;
}

/**
 * For the operator, if a person has lost the devices with which they sign in. @returns a link for a new password
 * @throws {NotFoundError}
 */
export function resetAdministrator(email: string, services: LinkServices): Promise<string> {
  return transact(OPERATOR_JOBS, async (transaction) => {
    await lockAdministrators(transaction);
    const found = await transaction.administrator.findUnique({ where: { email: emailOf(email) } });
    if (!found) throw new NotFoundError();
    const { id } = found;
    const data = {
      hasTotp: false,
      encryptedTotp: null,
      recoveryHashes: [],
      codeAttempts: 0,
      updatedAt: services.now(),
    };
    await transaction.administrator.update({ where: { id }, data });
    await transaction.administratorPasskey.deleteMany({ where: { administratorId: id } });
    await endSessions(transaction, id);
    return (await createLink(transaction, { purpose: 'passwordReset', administratorId: id }, services)).url;
  });
}

function resetText(url: string): string {
  return `Hello,

someone, most likely you, requested a new password for the console.
To set it, open this page within one hour:

${url}

The link works once. If you did not request it, ignore this mail: your
password is unchanged.
`;
}
