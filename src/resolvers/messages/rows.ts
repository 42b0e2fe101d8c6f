import DataLoader from 'dataloader';
import { Prisma } from '../../db/client.ts';
import { query } from '../../db/query.ts';
import type { Message } from '../../generated/prisma/client.ts';
import type { Viewer } from '../../lib/access.ts';
import { indexBy } from '../../lib/collections.ts';
import { hiddenFrom } from '../dialogs/hidden-messages.ts';

/** Columns of a message under the names of the Prisma model; `m` is the table. */
export const MESSAGE_COLUMNS = Prisma.raw(
  [
    'm.application_id AS "applicationId"',
    'm.id',
    'm.dialog_id AS "dialogId"',
    'm.seq',
    'm.sender_id AS "senderId"',
    'm.recipient_id AS "recipientId"',
    'm.text',
    'm.attachments',
    'm.custom_fields AS "customFields"',
    'm.send_to_chat AS "sendToChat"',
    'm.date_sent AS "dateSent"',
    'm.created_at AS "createdAt"',
    'm.updated_at AS "updatedAt"',
  ].join(', '),
);

export type MessageRow = Message;

/** Messages by id, whoever may see them: callers check that. */
export function messageLoader(
  viewer: Viewer,
): DataLoader<{ applicationId: number; id: string }, (MessageRow & { isHidden: boolean }) | null, string> {
  return new DataLoader(
    async (keys) => {
      const rows = await query<MessageRow & { isHidden: boolean }>`
        SELECT ${MESSAGE_COLUMNS}, ${hiddenFrom(viewer)} AS "isHidden" FROM messages m
        WHERE m.application_id = ${keys[0]!.applicationId} AND m.id = ANY(${keys.map((key) => key.id)}::text[])`;
      const byId = indexBy(rows, (row) => row.id);
      return keys.map(({ id }) => byId.get(id) ?? null);
    },
    { cacheKeyFn: ({ id }) => id },
  );
}
