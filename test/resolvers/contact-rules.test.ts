import { expect, test } from 'vitest';
import { type ContactChange, planUpload } from '../../src/resolvers/address-book/rules.ts';
import { fc } from '../support/app/properties.ts';

const phone = fc.constantFrom('p1', 'p2', 'p3', 'p4');
const change = fc.record({ phone, name: fc.option(fc.constantFrom('A', 'B'), { nil: undefined }) });

function played(known: string[], changes: ContactChange[], force: boolean) {
  let book = known.map((one) => ({ phone: one, name: 'old' }));
  const counts = { created: 0, updated: 0, deleted: 0 };
  for (const { phone: one, name } of changes) {
    const entry = book.find((contact) => contact.phone === one);
    if (name === undefined) {
      book = book.filter((contact) => contact !== entry);
      if (entry) counts.deleted++;
    } else if (entry) {
      entry.name = name;
      counts.updated++;
    } else {
      book.push({ phone: one, name });
      counts.created++;
    }
  }
  const named = new Set(changes.map((one) => one.phone));
  const left = force ? book.filter((contact) => named.has(contact.phone)) : book;
  counts.deleted += book.length - left.length;
  return { counts, book: left };
}

test('a plan has the same result as changing the book entry by entry', () => {
  fc.assert(
    fc.property(fc.uniqueArray(phone), fc.array(change, { maxLength: 12 }), fc.boolean(), (known, changes, force) => {
      const { gone, stored, ...counts } = planUpload(known, changes, force);
      const book = new Map<string, string>(
        known.filter((one) => !gone.includes(one)).map((one) => [one, 'old'] as const),
      );
      for (const { phone: one, name } of stored) book.set(one, name);
      const expected = played(known, changes, force);
      expect({ counts, book: Array.from(book, ([one, name]) => ({ phone: one, name })) }).toEqual(expected);
    }),
  );
});
