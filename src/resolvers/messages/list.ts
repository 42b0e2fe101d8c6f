import type { ActingContext } from '../../context.ts';
import { Prisma } from '../../db/client.ts';
import {
  between,
  type CheapOperators,
  conditionOf,
  type FilteredField,
  type FilterInput,
  isSearch,
  type Order,
  orderBy,
} from '../../db/conditions.ts';
import { transactInTurns } from '../../db/lock-turns.ts';
import { query } from '../../db/query.ts';
import { type RunSearch, searchesOf } from '../../db/search-turns.ts';
import { type ActingViewer, jobOwnerOf, userIdOf } from '../../lib/access.ts';
import { BadInputError } from '../../lib/errors.ts';
import {
  type ConnectionArguments,
  type CountedConnection,
  connection,
  MAX_PAGE,
  pageRequest,
} from '../../lib/pagination.ts';
import { problem } from '../../lib/problems.ts';
import { type ReadableDialog, type ReadingMember, requireReadableDialog } from '../dialogs/access.ts';
import { visibleTo } from '../dialogs/hidden-messages.ts';
import { keepDetails, partsOf, prepareFields } from './fields.ts';
import { changedMessages } from './live.ts';
import { lockMember, type MemberKey, markMessages } from './marks.ts';
import { readMessagesOfDialog } from './page.ts';
import type { MessageRow } from './rows.ts';
import { seqRange } from './seq-range.ts';

export interface MessageListing {
  dialogId: string;
  filter?: FilterInput | null;
  orderBy?: { field: MessageSortField; direction: 'asc' | 'desc' } | null;
}

export interface MessagePage {
  skip: number;
  limit: number;
  items: MessageRow[];
  cursor: string | null;
}

export type ReadMessages = MessagePage & { totalCount: () => Promise<number> };

const FIELDS: Record<string, FilteredField> = {
  id: { column: Prisma.sql`m.id`, cast: 'text' },
  text: { column: Prisma.sql`m.text`, cast: 'text' },
  dateSent: { column: Prisma.sql`m.date_sent`, cast: 'float8' },
  senderId: { column: Prisma.sql`m.sender_id`, cast: 'int' },
  recipientId: { column: Prisma.sql`m.recipient_id`, cast: 'int' },
  createdAt: { column: Prisma.sql`m.created_at`, cast: 'timestamptz' },
  updatedAt: { column: Prisma.sql`m.updated_at`, cast: 'timestamptz' },
  attachmentType: {
    column: Prisma.sql`ARRAY(SELECT a ->> 'type' FROM json_array_elements(m.attachments) a)`,
    cast: 'text',
    isArray: true,
  },
};

/** Clients poll with these; `seq` grows with both. */
const LOOK_UPS: CheapOperators = { id: ['eq', 'in', 'gt', 'gte'], dateSent: ['eq', 'lt', 'lte', 'gt', 'gte'] };

// `seq` grows with `date_sent`, so that sorting by `seq` also sorts by `date_sent`, with a defined order of ties.
const SEQ: Omit<Order, 'isDescending'> = {
  column: Prisma.sql`m.seq`,
  cast: 'int',
  id: Prisma.sql`m.id`,
  isAlwaysSet: true,
};
const SORTS = {
  dateSent: SEQ,
  id: { column: Prisma.sql`m.id`, cast: 'text', id: Prisma.sql`m.id`, isAlwaysSet: true },
  createdAt: { column: Prisma.sql`m.created_at`, cast: 'timestamptz', id: Prisma.sql`m.id`, isAlwaysSet: true },
  updatedAt: { column: Prisma.sql`m.updated_at`, cast: 'timestamptz', id: Prisma.sql`m.id`, isAlwaysSet: true },
} satisfies Record<string, Omit<Order, 'isDescending'>>;

export type MessageSortField = keyof typeof SORTS;

/** By default in `seq` order. @throws {NotFoundError} {ForbiddenError} */
export async function listMessages(
  listing: MessageListing & ConnectionArguments,
  requestedFields: ReadonlySet<string>,
  context: ActingContext,
): Promise<CountedConnection<MessageRow>> {
  const { viewer, loaders } = context;
  const page = pageRequest(listing);
  const order = orderOf(listing);
  const parts = partsOf(requestedFields);
  const wanted = {
    dialogId: listing.dialogId,
    orderBy: orderBy(order, page.isBackward),
    limit: page.limit + 1,
    parts,
    ...(isFiltered(listing) || page.after || page.before
      ? { search: { where: Prisma.sql`${matching(listing, viewer)} AND ${between(page, order)}`, skip: 0 } }
      : {}),
  };
  const { messages, details } = await searchOf(listing, viewer)(() => readMessagesOfDialog(wanted, viewer));
  keepDetails(messages, details, parts, loaders);
  const field = listing.orderBy?.field ?? 'dateSent';
  return {
    ...connection(messages, page, (message) => ({ value: sortValue(message, field), id: message.id })),
    totalCount: () => count(listing, viewer),
  };
}

export interface MessageReading extends MessageListing {
  skip: number;
  limit: number;
  markAsRead: boolean;
  /** Empty: all messages, and a cursor. */
  since?: string | null;
}

/** The result includes the marks that it sets. */
export async function readMessages(
  reading: MessageReading,
  requestedFields: ReadonlySet<string>,
  context: ActingContext,
): Promise<ReadMessages> {
  const { skip, limit, markAsRead, since, dialogId } = reading;
  const { viewer, outbox, now, loaders } = context;
  if (limit < 1 || limit > MAX_PAGE)
    throw new BadInputError(problem('OUT_OF_RANGE', { name: 'limit', min: 1, max: MAX_PAGE }));
  if (skip < 0) throw new BadInputError(problem('NEGATIVE_NUMBER', { name: 'skip' }));
  // The cursor is read before the page, so that no change is lost between them.
  if (since != null) await requireReadableDialog(dialogId, viewer);
  const changed = since == null ? undefined : await changedMessages({ dialogId, since, limit }, context);
  const listing = changed?.ids ? among(changed.ids, reading) : reading;
  const parts = partsOf(requestedFields);
  const page = {
    dialogId,
    orderBy: orderBy(orderOf(listing), false),
    limit,
    parts,
    ...(isFiltered(listing) || skip > 0 ? { search: { where: matching(listing, viewer), skip } } : {}),
  };
  const { dialog, messages, details } = await searchOf(listing, viewer)(() => readMessagesOfDialog(page, viewer));
  const seqs = markAsRead ? unseenOf(messages, dialog, viewer) : [];
  if (viewer.kind === 'user' && seqs.length > 0) {
    await markSeen({ applicationId: viewer.applicationId, dialogId, userId: viewer.userId }, seqs, now());
    outbox.wake();
    await prepareFields(messages, requestedFields, context);
  } else {
    keepDetails(messages, details, parts, loaders);
  }
  return { skip, limit, items: messages, cursor: changed?.cursor ?? null, totalCount: () => count(listing, viewer) };
}

function among(ids: string[], { filter, ...listing }: MessageListing): MessageListing {
  return { ...listing, filter: { and: [filter ?? {}, { id: { in: ids } }] } };
}

function markSeen(member: MemberKey, seqs: number[], now: Date): Promise<void> {
  return transactInTurns(jobOwnerOf(member), async (transaction) => {
    const isMember = await lockMember(transaction, member);
    if (isMember) await markMessages(transaction, member, seqs, { isRead: true, isDelivered: true }, now);
  });
}

function unseenOf(messages: readonly MessageRow[], { member }: ReadableDialog, viewer: ActingViewer): number[] {
  if (viewer.kind !== 'user' || !member) return [];
  return messages.filter((message) => mayBeUnseen(message, viewer.userId, member)).map(({ seq }) => seq);
}

function mayBeUnseen(
  { seq, senderId }: MessageRow,
  userId: number,
  { readSeq, deliveredSeq, unseenOwnSeq, hasMarks }: ReadingMember,
): boolean {
  if (hasMarks) return true;
  if (senderId === userId && seq > unseenOwnSeq) return false;
  return seq > Math.min(readSeq, deliveredSeq);
}

function matching({ dialogId, filter }: MessageListing, viewer: ActingViewer): Prisma.Sql {
  const dialog = { applicationId: viewer.applicationId, dialogId };
  return Prisma.sql`m.application_id = ${viewer.applicationId} AND m.dialog_id = ${dialogId}
    AND ${conditionOf(filter, FIELDS)} AND ${seqRange(filter, dialog)}`;
}

function isFiltered({ filter }: MessageListing): boolean {
  return Object.keys(filter ?? {}).length > 0;
}

function searchOf({ filter }: MessageListing, viewer: ActingViewer): RunSearch {
  return searchesOf(jobOwnerOf(viewer), isSearch(filter, LOOK_UPS));
}

function orderOf({ orderBy }: MessageListing): Order {
  return { ...SORTS[orderBy?.field ?? 'dateSent'], isDescending: orderBy?.direction === 'desc' };
}

function sortValue(message: MessageRow, field: MessageSortField): string | number {
  if (field === 'dateSent') return message.seq;
  const value = message[field];
  return value instanceof Date ? value.toISOString() : value;
}

/** Without a filter from counters. */
async function count(listing: MessageListing, viewer: ActingViewer): Promise<number> {
  const { dialogId } = listing;
  const userId = userIdOf(viewer);
  const counted = isFiltered(listing)
    ? Prisma.sql`SELECT count(*)::int AS count FROM messages m WHERE ${matching(listing, viewer)} AND ${visibleTo(viewer)}`
    : Prisma.sql`
        SELECT d.message_count - (SELECT count(*)::int FROM hidden_messages h
          WHERE h.application_id = d.application_id AND h.user_id = ${userId} AND h.dialog_id = d.id) AS count
        FROM dialogs d WHERE d.application_id = ${viewer.applicationId} AND d.id = ${dialogId}`;
  const [row] = await searchOf(listing, viewer)(() => query<{ count: number }>(counted));
  return row?.count ?? 0;
}
