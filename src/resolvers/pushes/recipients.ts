import { Prisma, type Transaction } from '../../db/client.ts';
import { columns, type RowOf, select } from '../../db/columns.ts';
import { queryIn } from '../../db/query.ts';
import type { Event } from '../../generated/prisma/client.ts';
import { MESSAGE_CHANNELS } from './channels.ts';

export const PAGE_USERS = 500;

const CANDIDATE = columns({
  userId: ['int', 'page.id'],
  subscriptionId: ['int | null', 's.id'],
  channel: ['text | null', 's.channel::text'],
});

/** Null columns: a recipient without a device. */
export type Candidate = RowOf<[typeof CANDIDATE]>;

/** By user id: one row per device of the event's channel and environment, or one without. */
export function eventCandidates(transaction: Transaction, event: Event, afterUserId: number): Promise<Candidate[]> {
  const { applicationId, externalUserIds, tagsAny, tagsAll, tagsExclude, channel, environment } = event;
  const userIds = event.userIds.filter((id) => id > afterUserId);
  const tags = [
    ...(tagsAny.length > 0 ? [Prisma.sql`u.tags && ${tagsAny}::text[]`] : []),
    ...(tagsAll.length > 0 ? [Prisma.sql`u.tags @> ${tagsAll}::text[]`] : []),
  ];
  const named = [
    ...(userIds.length > 0 ? [Prisma.sql`u.id = ANY(${userIds}::int[])`] : []),
    ...(externalUserIds.length > 0 ? [Prisma.sql`u.external_user_id = ANY(${externalUserIds}::bigint[])`] : []),
    ...(tags.length > 0 ? [Prisma.sql`(${Prisma.join(tags, ' AND ')})`] : []),
  ];
  if (named.length === 0) return Promise.resolve([]);
  const excluded = tagsExclude.length > 0 ? Prisma.sql`AND NOT u.tags && ${tagsExclude}::text[]` : Prisma.empty;
  const statement = select`
    WITH page AS MATERIALIZED (
      SELECT u.id FROM users u
      WHERE u.application_id = ${applicationId} AND u.id > ${afterUserId} AND (${Prisma.join(named, ' OR ')}) ${excluded}
      ORDER BY u.id LIMIT ${PAGE_USERS}
    )
    SELECT ${CANDIDATE}
    FROM page LEFT JOIN push_subscriptions s ON s.application_id = ${applicationId} AND s.user_id = page.id
      AND s.channel = ${channel}::push_channel
      AND (s.environment = ${environment}::push_environment OR s.environment IS NULL)
    ORDER BY page.id, s.id`;
  return queryIn(transaction, statement);
}

export interface MessageRange {
  applicationId: number;
  dialogId: string;
  firstSeq: number;
  lastSeq: number;
}

export function messageCandidates(
  transaction: Transaction,
  range: MessageRange,
  afterUserId: number,
): Promise<Candidate[]> {
  const { applicationId, dialogId } = range;
  const statement = select`
    WITH page AS MATERIALIZED (
      SELECT m.user_id AS id, m.read_seq FROM members m
      WHERE m.application_id = ${applicationId} AND m.dialog_id = ${dialogId} AND m.user_id > ${afterUserId}
        AND m.left_at IS NULL
      ORDER BY m.user_id LIMIT ${PAGE_USERS}
    )
    SELECT ${CANDIDATE}
    FROM page LEFT JOIN push_subscriptions s ON s.application_id = ${applicationId} AND s.user_id = page.id
      AND s.channel = ANY(${MESSAGE_CHANNELS}::push_channel[])
      AND NOT EXISTS (SELECT FROM muted_dialogs o
        WHERE o.application_id = ${applicationId} AND o.dialog_id = ${dialogId} AND o.user_id = page.id)
      AND EXISTS (SELECT FROM messages x WHERE ${isNews(range, Prisma.sql`page.id`, Prisma.sql`page.read_seq`)})
    ORDER BY page.id, s.id`;
  return queryIn(transaction, statement);
}

export function isNews(
  { applicationId, dialogId, firstSeq, lastSeq }: MessageRange,
  userId: Prisma.Sql,
  readSeq: Prisma.Sql,
): Prisma.Sql {
  return Prisma.sql`x.application_id = ${applicationId} AND x.dialog_id = ${dialogId}
    AND x.seq BETWEEN ${firstSeq} AND ${lastSeq} AND x.seq > ${readSeq} AND x.send_to_chat AND x.sender_id <> ${userId}
    AND NOT EXISTS (SELECT FROM message_marks k WHERE k.application_id = x.application_id
      AND k.dialog_id = x.dialog_id AND k.seq = x.seq AND k.user_id = ${userId} AND k.is_read)
    AND NOT EXISTS (SELECT FROM hidden_messages h WHERE h.application_id = x.application_id
      AND h.user_id = ${userId} AND h.dialog_id = x.dialog_id AND h.seq = x.seq)
    AND NOT EXISTS (SELECT FROM user_blocks b WHERE b.application_id = x.application_id
      AND b.user_id = ${userId} AND b.blocked_id = x.sender_id AND b.in_groups)`;
}
