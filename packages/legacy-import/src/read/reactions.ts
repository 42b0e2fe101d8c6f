import { ignoreMissing } from '../errors.ts';
import type { Item } from '../ledger.ts';
import type { Run } from '../run.ts';
import { db } from '../service.ts';
import type { SourceDialog } from '../shapes.ts';
import { readersOf } from './messages.ts';

const BATCH = 100;

export type SourceReaction = [userId: number, name: string];

export async function readReactions(run: Run): Promise<void> {
  const { ledger, progress } = run;
  const { applicationId } = ledger;
  let after = String(ledger.cursor.after ?? '');
  progress.begin(
    'messages with reactions',
    await db.migratedMessage.count({ where: { applicationId, hasReactions: true, id: { gt: after } } }),
  );
  for (;;) {
    const messages = await db.migratedMessage.findMany({
      where: { applicationId, hasReactions: true, id: { gt: after } },
      orderBy: { id: 'asc' },
      take: BATCH,
      select: { id: true, dialogId: true },
    });
    for (const message of messages) {
      const items = await readReactionsTo(message, run);
      after = message.id;
      ledger.count('reactionsRead', items.flatMap(({ content }) => content as SourceReaction[]).length);
      await ledger.stage({ after }, items);
      progress.advance();
    }
    if (messages.length < BATCH) return;
  }
}

async function readReactionsTo(message: { id: string; dialogId: string }, run: Run): Promise<Item[]> {
  const { source, ledger } = run;
  const { applicationId } = ledger;
  const { content } = await db.migratedItem.findUniqueOrThrow({
    where: { applicationId_kind_id: { applicationId, kind: 'dialog', id: message.dialogId } },
    select: { content: true },
  });
  const [reader] = readersOf(content as SourceDialog, run);
  const byName = reader === undefined ? undefined : await source.reactions(message.id, reader).catch(ignoreMissing);
  if (!byName) return [];
  const own = new Map<number, string[]>();
  for (const [name, userIds] of Object.entries(byName)) {
    for (const userId of userIds) own.set(userId, [...(own.get(userId) ?? []), name]);
  }
  for (const [userId, names] of own) {
    if (names.length > 1) own.set(userId, await orderOf(names, message.id, userId, run));
  }
  const reactions = inOrder(Object.keys(byName), own);
  return [{ kind: 'reactions', id: message.id, container: message.dialogId, content: reactions }];
}

/** The API shows the order of a user's reactions only to that user. */
async function orderOf(names: string[], messageId: string, userId: number, { source }: Run): Promise<string[]> {
  const visible = source.canReadAs(userId) ? await source.ownReactions(messageId, userId).catch(ignoreMissing) : [];
  const current = visible?.filter((name) => names.includes(name)) ?? [];
  return [...new Set([...current, ...names])];
}

/** Merges two orders: names by first use, and the reactions of each user in the order of adding. */
function inOrder(names: string[], own: ReadonlyMap<number, string[]>): SourceReaction[] {
  const left = new Map([...own].map(([userId, added]) => [userId, [...added]]));
  const reactions: SourceReaction[] = [];
  const known = new Set<string>();
  const take = (isNext: (name: string) => boolean, max: number): number => {
    let taken = 0;
    for (const [userId, added] of left) {
      while (taken < max && added.length > 0 && isNext(added[0]!)) {
        reactions.push([userId, added.shift()!]);
        taken++;
      }
    }
    return taken;
  };
  for (const name of names) {
    // First the reactions with known names, because one of them may precede this name in a user's order.
    take((next) => known.has(next), Number.POSITIVE_INFINITY);
    take((next) => next === name, 1);
    known.add(name);
  }
  take(() => true, Number.POSITIVE_INFINITY);
  return reactions;
}
