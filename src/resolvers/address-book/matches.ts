import { setImmediate as nextTurn } from 'node:timers/promises';
import { db } from '../../db/client.ts';
import { runLong } from '../../db/long-work.ts';
import { query } from '../../db/query.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { type BookKey, inBook } from './book.ts';

/** Sorted ids. Looks contacts up by index, so that the cost does not depend on the number of users. */
export function registeredIds(book: BookKey): Promise<number[]> {
  return runLong(jobOwnerOf(book), (runStep) => runStep(() => findRegistered(book)));
}

async function findRegistered(book: BookKey): Promise<number[]> {
  const { phoneMatching, phoneRegion } = await db.application.findUniqueOrThrow({
    where: { id: book.applicationId },
    select: { phoneMatching: true, phoneRegion: true },
  });
  return phoneMatching === 'identical' ? idsByText(book) : idsByNumber(book, phoneRegion);
}

/** `OFFSET 0` keeps the planner from scanning all users. */
async function idsByText(book: BookKey): Promise<number[]> {
  const rows = await query<{ id: number }>`
    SELECT DISTINCT u.id FROM contacts c CROSS JOIN LATERAL (
      SELECT o.id FROM users o WHERE o.application_id = c.application_id AND o.phone = c.phone OFFSET 0) u
    WHERE ${inBook(book)} ORDER BY u.id`;
  return rows.map(({ id }) => id);
}

/** The last digits select candidates by index; comparing normalized numbers then confirms them. */
async function idsByNumber(book: BookKey, region: string | null): Promise<number[]> {
  const contacts = await query<{ phone: string }>`SELECT c.phone FROM contacts c WHERE ${inBook(book)}`;
  const { phoneTails } = await loadPhoneNumbers();
  const keys = new Set(await keysOf(contacts, region));
  const tails = [...new Set([...keys].flatMap(phoneTails))];
  const candidates = await query<{ id: number; phone: string }>`
    SELECT u.id, u.phone FROM unnest(${tails}::text[]) AS t (tail) CROSS JOIN LATERAL (
      SELECT o.id, o.phone FROM users o
      WHERE o.application_id = ${book.applicationId}
        AND right(regexp_replace(o.phone, '[^0-9]', '', 'g'), 7) = t.tail OFFSET 0) u
    ORDER BY u.id`;
  const found = await keysOf(candidates, region);
  const ids = candidates.filter((_, index) => keys.has(found[index]!)).map(({ id }) => id);
  return [...new Set(ids)];
}

/** On demand, because the numbering plans of all countries are large. */
const loadPhoneNumbers = () => import('./phone-numbers.ts');

/** Numbers parsed per event loop turn, because a book may have 10,000 contacts. */
const AT_A_TIME = 200;

async function keysOf(rows: { phone: string }[], region: string | null): Promise<string[]> {
  const { phoneKey } = await loadPhoneNumbers();
  const keys: string[] = [];
  for (const { phone } of rows) {
    if (keys.length % AT_A_TIME === 0) await nextTurn();
    keys.push(phoneKey(phone, region));
  }
  return keys;
}
