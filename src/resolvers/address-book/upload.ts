import type { UserContext } from '../../context.ts';
import type { Transaction } from '../../db/client.ts';
import { runLong } from '../../db/long-work.ts';
import { transact } from '../../db/transact.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { UnprocessableError } from '../../lib/errors.ts';
import { takeDailyShare } from '../users/daily-usage.ts';
import { lockUsers } from '../users/lock.ts';
import { type BookKey, bookOf, inBook, udidProblems } from './book.ts';
import { type ContactInput, contactChange, contactProblems, planUpload, type UploadPlan } from './rules.ts';

export interface ContactUpload {
  contacts?: ContactInput[] | null;
  udid?: string | null;
  force?: boolean | null;
}

export interface UploadedContacts extends Pick<UploadPlan, 'created' | 'updated' | 'deleted'> {
  /** `index` counts from 0. */
  rejected: { index: number; errors: string[] }[];
}

/** Per user and day: above any real address book, but too low for probing which numbers are registered. */
const NEW_CONTACTS_A_DAY = 50_000;

/** All valid entries or none. @throws {UnprocessableError} @throws {RateLimitedError} too many new contacts per day */
export async function uploadContacts(
  { contacts, udid, force }: ContactUpload,
  context: UserContext,
): Promise<UploadedContacts> {
  if (!contacts) throw new UnprocessableError('CONTACTS_NOT_A_LIST', ...udidProblems(udid));
  const owner = jobOwnerOf(context.viewer);
  const given = contacts;
  return runLong(owner, (runStep) => runStep(() => store(given, bookOf(udid, context), force === true, context)));
}

async function store(
  contacts: ContactInput[],
  book: BookKey,
  force: boolean,
  context: UserContext,
): Promise<UploadedContacts> {
  const problems = contacts.map(contactProblems);
  const changes = contacts.filter((_, index) => problems[index]!.length === 0).map(contactChange);
  const rejected = problems.flatMap((errors, index) => (errors.length > 0 ? [{ index, errors }] : []));

  const { created, updated, deleted } = await transact(jobOwnerOf(context.viewer), async (transaction) => {
    await lockUsers(transaction, [], context);
    await lockBook(transaction, book);
    const known = await knownPhones(transaction, book, force ? undefined : changes.map(({ phone }) => phone));
    const plan = planUpload(known, changes, force);
    const share = { kind: 'contacts', amount: plan.created, quota: NEW_CONTACTS_A_DAY } as const;
    await takeDailyShare(transaction, book, share, context);
    await storePlan(transaction, book, plan);
    return plan;
  });
  return { created, updated, deleted, rejected };
}

/** An advisory lock, because the book may have no row to lock. */
async function lockBook(transaction: Transaction, { applicationId, userId, udid }: BookKey): Promise<void> {
  const name = `address book ${applicationId} ${userId} ${udid}`;
  await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`;
}

async function knownPhones(transaction: Transaction, book: BookKey, phones: string[] | undefined): Promise<string[]> {
  const rows = phones
    ? await transaction.$queryRaw<{ phone: string }[]>`
        SELECT c.phone FROM contacts c WHERE ${inBook(book)} AND c.phone = ANY(${phones}::text[])`
    : await transaction.$queryRaw<{ phone: string }[]>`SELECT c.phone FROM contacts c WHERE ${inBook(book)}`;
  return rows.map(({ phone }) => phone);
}

async function storePlan(transaction: Transaction, book: BookKey, { gone, stored }: UploadPlan): Promise<void> {
  const { applicationId, userId, udid } = book;
  if (gone.length > 0) {
    await transaction.$executeRaw`DELETE FROM contacts c WHERE ${inBook(book)} AND c.phone = ANY(${gone}::text[])`;
  }
  if (stored.length === 0) return;
  await transaction.$executeRaw`
    INSERT INTO contacts AS c (application_id, user_id, udid, phone, name)
    SELECT ${applicationId}::int, ${userId}::int, ${udid}, s.phone, s.name
    FROM unnest(${stored.map(({ phone }) => phone)}::text[], ${stored.map(({ name }) => name)}::text[])
      WITH ORDINALITY AS s (phone, name, place)
    ORDER BY s.place
    ON CONFLICT (application_id, user_id, udid, phone) DO UPDATE SET name = excluded.name
    WHERE c.name <> excluded.name`;
}
