import type { ActingContext } from '../../context.ts';
import { NotFoundError } from '../../lib/errors.ts';
import { isStringId } from '../../lib/string-ids.ts';
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

export async function findReadableMessage(id: string, { viewer, loaders }: ActingContext): Promise<MessageRow> {
  const message = isStringId(id)
    ? await loaders.of(messageLoader).load({ applicationId: viewer.applicationId, id })
    : undefined;
  if (!message || message.isHidden) throw new NotFoundError();
  requireReader(message, viewer);
  return message;
}
