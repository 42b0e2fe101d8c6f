import type { UserContext } from '../../context.ts';
import type { Transaction } from '../../db/client.ts';
import { transactInTurns } from '../../db/lock-turns.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { ForbiddenError, NotFoundError, UnknownUserError, UnprocessableError } from '../../lib/errors.ts';
import { problem } from '../../lib/problems.ts';
import { isDatabaseId } from '../../lib/tokens.ts';
import type { EventDetail } from '../../realtime/outbox.ts';
import { appendContactEvents } from '../../realtime/outbox.ts';
import { standingWith } from '../blocks/between.ts';
import { type ChatContact, MAX_CONTACTS, readContact } from './rows.ts';

/** Whether one of the pair sees the presence of the other, asks to, or neither. */
interface Ties {
  /** Of the caller to the contact. */
  own: boolean | undefined;
  /** Of the contact to the caller. */
  others: boolean | undefined;
}

type Action = NonNullable<EventDetail['contact']>;

/** Asks to see the presence of a user, who accepts or rejects. @throws as `change` @throws {ForbiddenError} a block */
export function requestContact(contactId: number, context: UserContext): Promise<ChatContact> {
  return change(contactId, 'requested', context, ({ own, others }) => ({ own: own ?? false, others }));
}

/**
 * Lets a user who has asked see the presence of the caller.
 * @param asksBack whether the caller asks as well, unless they already did
 */
export function acceptContact(contactId: number, context: UserContext, asksBack = true): Promise<ChatContact> {
  return change(contactId, 'accepted', context, ({ own, others }) => {
    if (others === undefined) throw new NotFoundError('NO_CONTACT_REQUEST');
    return { own: asksBack ? (own ?? false) : own, others: true };
  });
}

/** Refuses a request, or ends what was accepted. */
export function rejectContact(contactId: number, context: UserContext): Promise<ChatContact> {
  return change(contactId, 'rejected', context, ({ own, others }) => {
    if (others === undefined) throw new NotFoundError('NO_CONTACT_REQUEST');
    return { own, others: undefined };
  });
}

/** Withdraws a request, or no longer sees the presence of the contact. */
export function withdrawContact(contactId: number, context: UserContext): Promise<ChatContact> {
  return change(contactId, 'withdrawn', context, ({ own, others }) => {
    if (own === undefined) throw new NotFoundError('NO_CONTACT');
    return { own: undefined, others };
  });
}

export function removeContact(contactId: number, context: UserContext): Promise<ChatContact> {
  return change(contactId, 'removed', context, ({ own, others }) => {
    if (own === undefined && others === undefined) throw new NotFoundError('NO_CONTACT');
    return { own: undefined, others: undefined };
  });
}

/** @throws {UnknownUserError} {NotFoundError} @throws {UnprocessableError} oneself, or too many contacts */
async function change(
  contactId: number,
  action: Action,
  context: UserContext,
  next: (ties: Ties) => Ties,
): Promise<ChatContact> {
  const { viewer, now, outbox } = context;
  const { applicationId, userId } = viewer;
  if (contactId === userId) throw new UnprocessableError('OWN_USER');
  if (!isDatabaseId(contactId)) throw new UnknownUserError();
  const isRequest = action === 'requested' || action === 'accepted';
  if (isRequest && (await standingWith({ applicationId, senderId: userId, userId: contactId })) === 'refused')
    throw new ForbiddenError('BLOCKED');
  const at = now();
  const isChanged = await transactInTurns(jobOwnerOf(viewer), async (transaction) => {
    await lockPair(transaction, applicationId, [userId, contactId]);
    const before = await tiesOf(transaction, applicationId, [userId, contactId]);
    const after = next(before);
    const wasChanged = [
      await store(transaction, { applicationId, userId, contactId, createdAt: at }, before.own, after.own),
      await store(
        transaction,
        { applicationId, userId: contactId, contactId: userId, createdAt: at },
        before.others,
        after.others,
      ),
    ];
    if (!wasChanged.includes(true)) return false;
    for (const id of action === 'requested' ? [userId, contactId] : [])
      await requireRoom(transaction, applicationId, id);
    await appendContactEvents(transaction, { applicationId, userId, contactId, action }, at);
    return true;
  });
  if (isChanged) outbox.wake();
  return readContact(viewer, contactId);
}

/** Of a user who is being deleted; the others are notified. */
export async function removeContactsOf(
  transaction: Transaction,
  { applicationId, userId }: { applicationId: number; userId: number },
  now: Date,
): Promise<void> {
  const detail: EventDetail = { contact: 'removed' };
  await transaction.$executeRaw`
    WITH removed AS (
      DELETE FROM chat_contacts
      WHERE application_id = ${applicationId} AND (user_id = ${userId} OR contact_id = ${userId})
      RETURNING CASE user_id WHEN ${userId} THEN contact_id ELSE user_id END AS other_id
    )
    INSERT INTO events_outbox (application_id, kind, subject_id, user_id, detail, audience_ids, created_at)
    SELECT ${applicationId}::int, 'contactChanged', ${String(userId)}, ${userId}::int, ${JSON.stringify(detail)}::jsonb,
      ARRAY[o.other_id], ${now}
    FROM (SELECT DISTINCT other_id FROM removed) o ORDER BY o.other_id`;
}

/** In id order. */
async function lockPair(transaction: Transaction, applicationId: number, ids: [number, number]): Promise<void> {
  const locked = await transaction.$executeRaw`
    SELECT FROM users WHERE application_id = ${applicationId} AND id = ANY(${ids}::int[])
    ORDER BY id FOR NO KEY UPDATE`;
  if (locked < 2) throw new UnknownUserError();
}

async function tiesOf(
  transaction: Transaction,
  applicationId: number,
  [userId, contactId]: [number, number],
): Promise<Ties> {
  const rows = await transaction.chatContact.findMany({
    where: {
      applicationId,
      OR: [
        { userId, contactId },
        { userId: contactId, contactId: userId },
      ],
    },
  });
  const tieOf = (owner: number) => rows.find((row) => row.userId === owner)?.isAccepted;
  return { own: tieOf(userId), others: tieOf(contactId) };
}

/** @returns whether it changed */
async function store(
  transaction: Transaction,
  { createdAt, ...key }: { applicationId: number; userId: number; contactId: number; createdAt: Date },
  before: boolean | undefined,
  after: boolean | undefined,
): Promise<boolean> {
  if (before === after) return false;
  if (after === undefined) await transaction.chatContact.deleteMany({ where: key });
  else if (before === undefined)
    await transaction.chatContact.create({ data: { ...key, isAccepted: after, createdAt } });
  else await transaction.chatContact.updateMany({ where: key, data: { isAccepted: after } });
  return true;
}

async function requireRoom(transaction: Transaction, applicationId: number, userId: number): Promise<void> {
  const [row] = await transaction.$queryRaw<{ count: bigint }[]>`
    SELECT count(*) FROM (
      SELECT contact_id FROM chat_contacts WHERE application_id = ${applicationId} AND user_id = ${userId}
      UNION
      SELECT user_id FROM chat_contacts WHERE application_id = ${applicationId} AND contact_id = ${userId}) c`;
  if (row!.count > MAX_CONTACTS) throw new UnprocessableError(problem('TOO_MANY_CONTACTS', { max: MAX_CONTACTS }));
}
