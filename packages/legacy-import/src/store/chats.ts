import { isDeepStrictEqual } from 'node:util';
import type { SourceChat, SourceContact, SourceList } from '../chat-client.ts';
import { rowsOf } from '../rows.ts';
import type { Run } from '../run.ts';
import { blocksOf, type PrivacyItem, type Transaction } from '../service.ts';

interface Owner {
  applicationId: number;
  userId: number;
}

/**
 * What a repeated run has read before is not stored again, so that contacts and lists that were removed here remain
 * removed; lists that were changed here keep their items.
 */
export async function storeChats({ ledger, progress }: Run): Promise<void> {
  const { applicationId } = ledger;
  progress.begin('contacts and lists stored', await ledger.size('chat'));
  for await (const batch of ledger.batches<SourceChat>('chat', String(ledger.cursor.after ?? ''))) {
    for (const { id, content, previous } of batch) {
      const owner = { applicationId, userId: Number(id) };
      await ledger.write({ after: id }, async (transaction) => {
        if ((await lock(transaction, owner)) === 0) return;
        await storeContacts(transaction, owner, withoutKnown(content.contacts, previous?.contacts));
        await storeLists(transaction, owner, content.lists, previous?.lists ?? []);
      });
      progress.advance();
    }
  }
}

/** As a change of the user does. */
function lock(transaction: Transaction, { applicationId, userId }: Owner): Promise<number> {
  return transaction.$executeRaw`
    SELECT FROM users WHERE application_id = ${applicationId} AND id = ${userId} FOR NO KEY UPDATE`;
}

function withoutKnown<Item>(items: Item[], known: Item[] = []): Item[] {
  return items.filter((item) => !known.some((one) => isDeepStrictEqual(one, item)));
}

/** Without users who do not exist here. */
async function storeContacts(transaction: Transaction, owner: Owner, contacts: SourceContact[]): Promise<void> {
  const rows = contacts.flatMap((contact) => tiesOf(owner.userId, contact));
  await transaction.$executeRaw`
    INSERT INTO chat_contacts AS c (application_id, user_id, contact_id, is_accepted, created_at)
    SELECT ${owner.applicationId}::int, g.user_id, g.contact_id, bool_or(g.is_accepted), now()
    FROM ${rowsOf('chat_contacts', rows)} AS g
    JOIN users u ON u.application_id = ${owner.applicationId} AND u.id IN (g.user_id, g.contact_id)
    GROUP BY g.user_id, g.contact_id HAVING count(DISTINCT u.id) = 2
    ON CONFLICT (application_id, user_id, contact_id) DO UPDATE SET is_accepted = true
    WHERE excluded.is_accepted AND NOT c.is_accepted`;
}

/** Who sees the presence of whom, or asks to. */
function tiesOf(userId: number, { userId: contactId, subscription, isRequested }: SourceContact): object[] {
  const [own, others] = [
    { user_id: userId, contact_id: contactId },
    { user_id: contactId, contact_id: userId },
  ];
  const sees = subscription === 'to' || subscription === 'both';
  const isSeen = subscription === 'from' || subscription === 'both';
  return [
    ...(sees || isRequested ? [{ ...own, is_accepted: sees }] : []),
    ...(isSeen ? [{ ...others, is_accepted: true }] : []),
  ];
}

async function storeLists(transaction: Transaction, owner: Owner, lists: SourceList[], known: SourceList[]) {
  const here = new Map((await transaction.privacyList.findMany({ where: owner })).map((list) => [list.name, list]));
  const hasDefault = [...here.values()].some(({ isDefault }) => isDefault);
  for (const list of withoutKnown(lists, known)) {
    const { name, items } = list;
    const [stored, before] = [here.get(name), known.find((one) => one.name === name)];
    if (stored ? !isDeepStrictEqual(stored.items, before?.items) : before !== undefined) continue;
    const isDefault = stored?.isDefault || (list.isDefault && !hasDefault);
    const data = { isDefault, items: items.map((item) => ({ ...item })) };
    const key = { applicationId_userId_name: { ...owner, name } };
    await transaction.privacyList.upsert({ where: key, create: { ...owner, name, ...data }, update: data });
    if (isDefault) await storeBlocks(transaction, owner, items);
  }
}

async function storeBlocks(transaction: Transaction, owner: Owner, items: PrivacyItem[]): Promise<void> {
  const source = 'list' as const;
  const blocks = blocksOf(items);
  const ids = [...blocks.keys()].filter((id) => id !== owner.userId);
  const users = await transaction.user.findMany({
    where: { applicationId: owner.applicationId, id: { in: ids } },
    select: { id: true },
  });
  await transaction.userBlock.deleteMany({ where: { ...owner, source } });
  const createdAt = new Date();
  await transaction.userBlock.createMany({
    data: users.map(({ id }) => ({ ...owner, source, blockedId: id, ...blocks.get(id)!, createdAt })),
  });
}
