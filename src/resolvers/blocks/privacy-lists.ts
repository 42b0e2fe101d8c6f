import type { UserContext } from '../../context.ts';
import { db, type Transaction } from '../../db/client.ts';
import { NotFoundError, UnprocessableError } from '../../lib/errors.ts';
import { problem } from '../../lib/problems.ts';
import { lockOwn, lockUsers } from '../users/lock.ts';
import { changeBlocks } from './change.ts';
import { blocksOf, checkList, MAX_LISTS, type PrivacyItem } from './rules.ts';

interface Owner {
  applicationId: number;
  userId: number;
}

export interface PrivacyLists {
  names: string[];
  defaultName: string | undefined;
}

export async function findPrivacyLists({ viewer }: UserContext): Promise<PrivacyLists> {
  const select = { name: true, isDefault: true };
  const lists = await db.privacyList.findMany({ where: ownerOf(viewer), select, orderBy: { name: 'asc' } });
  return { names: lists.map(({ name }) => name), defaultName: lists.find(({ isDefault }) => isDefault)?.name };
}

/** In the order of the client. @throws {NotFoundError} */
export async function findPrivacyList(name: string, { viewer }: UserContext): Promise<PrivacyItem[]> {
  const list = await db.privacyList.findUnique({ where: keyOf(viewer, name) });
  if (!list) throw new NotFoundError();
  return itemsOf(list);
}

/** Replaces the list; one without items is removed, also as default. @throws {UnprocessableError} a limit */
export async function storePrivacyList(name: string, items: PrivacyItem[], context: UserContext): Promise<void> {
  checkList(name, items);
  const { viewer } = context;
  await changeBlocks(context, async (transaction) => {
    const others = await lockUsers(transaction, [...blocksOf(items).keys()], context);
    await lockOwn(transaction, viewer);
    const list = await transaction.privacyList.findUnique({ where: keyOf(viewer, name) });
    if (items.length === 0) {
      await transaction.privacyList.deleteMany({ where: { ...ownerOf(viewer), name } });
    } else {
      const stored = items.map((item) => ({ ...item }));
      await transaction.privacyList.upsert({
        where: keyOf(viewer, name),
        create: { ...ownerOf(viewer), name, isDefault: false, items: stored },
        update: { items: stored },
      });
      const count = await transaction.privacyList.count({ where: ownerOf(viewer) });
      if (count > MAX_LISTS) throw new UnprocessableError(problem('TOO_MANY_LISTS', { max: MAX_LISTS }));
    }
    return list?.isDefault ? replaceBlocks(transaction, context, items, others) : [];
  });
}

/** @param name null: none @throws {NotFoundError} */
export async function chooseDefaultList(name: string | null, context: UserContext): Promise<void> {
  const { viewer } = context;
  await changeBlocks(context, async (transaction) => {
    const list = name === null ? null : await transaction.privacyList.findUnique({ where: keyOf(viewer, name) });
    if (name !== null && !list) throw new NotFoundError();
    const items = list ? itemsOf(list) : [];
    const others = await lockUsers(transaction, [...blocksOf(items).keys()], context);
    await lockOwn(transaction, viewer);
    await transaction.privacyList.updateMany({ where: ownerOf(viewer), data: { isDefault: false } });
    const { count } = await transaction.privacyList.updateMany({
      where: { ...ownerOf(viewer), name: name ?? '' },
      data: { isDefault: true },
    });
    if (name !== null && count === 0) throw new NotFoundError();
    return replaceBlocks(transaction, context, items, others);
  });
}

export async function removeFromDefaultList(transaction: Transaction, viewer: Owner, blockedId: number): Promise<void> {
  const list = await transaction.privacyList.findFirst({ where: { ...ownerOf(viewer), isDefault: true } });
  const items = list && itemsOf(list).filter(({ userId }) => userId !== blockedId);
  if (!items || items.length === itemsOf(list).length) return;
  const where = keyOf(viewer, list.name);
  if (items.length === 0) await transaction.privacyList.delete({ where });
  else await transaction.privacyList.update({ where, data: { items: items.map((item) => ({ ...item })) } });
}

/** @param known of the users in the items @returns users whose blocks may have changed */
async function replaceBlocks(
  transaction: Transaction,
  { viewer, now }: UserContext,
  items: readonly PrivacyItem[],
  known: readonly number[],
): Promise<number[]> {
  const where = { ...ownerOf(viewer), source: 'list' as const };
  const before = await transaction.userBlock.findMany({ where, select: { blockedId: true } });
  await transaction.userBlock.deleteMany({ where });
  const blocks = blocksOf(items);
  const data = known.map((blockedId) => ({ ...where, blockedId, ...blocks.get(blockedId)!, createdAt: now() }));
  await transaction.userBlock.createMany({ data });
  return [...known, ...before.map(({ blockedId }) => blockedId)];
}

function itemsOf({ items }: { items: unknown }): PrivacyItem[] {
  return items as PrivacyItem[];
}

function ownerOf({ applicationId, userId }: Owner): Owner {
  return { applicationId, userId };
}

function keyOf(owner: Owner, name: string) {
  return { applicationId_userId_name: { ...ownerOf(owner), name } };
}
