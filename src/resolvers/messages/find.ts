import type { ActingContext } from '../../context.ts';
import { db } from '../../db/client.ts';
import { NotFoundError } from '../../lib/errors.ts';
import { isStringId } from '../../lib/string-ids.ts';
import { isDatabaseId } from '../../lib/tokens.ts';
import { requireReader } from '../dialogs/access.ts';
import { prepareFields } from './fields.ts';
import { type MessageRow, messageLoader } from './rows.ts';

/** @throws {NotFoundError} unknown, or hidden by the caller @throws {ForbiddenError} not an occupant */
export async function findMessage(
  id: string,
  requested: ReadonlySet<string>,
  context: ActingContext,
): Promise<MessageRow> {
  const message = await findReadableMessage(id, context);
  await prepareFields([message], requested, context);
  return message;
}

/**
 * By its id, or by the one that the client of its sender chose.
 * @throws {NotFoundError} unknown, or hidden by the caller @throws {ForbiddenError} not an occupant
 */
export async function findMessageOf(
  senderId: number,
  id: string,
  requested: ReadonlySet<string>,
  context: ActingContext,
): Promise<MessageRow> {
  const sent = isDatabaseId(senderId) && (await findKey(id, { ...context.viewer, userId: senderId }));
  return findMessage(sent ? sent.messageId : id, requested, context);
}

/** The message that a user has sent with this key. */
export function findKey(key: string, { applicationId, userId }: { applicationId: number; userId: number }) {
  return db.messageKey.findUnique({ where: { applicationId_userId_key: { applicationId, userId, key } } });
}

export async function findReadableMessage(id: string, { viewer, loaders }: ActingContext): Promise<MessageRow> {
  const message = isStringId(id)
    ? await loaders.of(messageLoader).load({ applicationId: viewer.applicationId, id })
    : undefined;
  if (!message || message.isHidden) throw new NotFoundError();
  requireReader(message, viewer);
  return message;
}
