import { ignoreMissing, MigrationError } from '../errors.ts';
import type { Item } from '../ledger.ts';
import type { Run } from '../run.ts';
import type { SourceDialog } from '../shapes.ts';
import { nextWindow, PAGE, type Reader } from '../source.ts';
import { readersOf } from './messages.ts';

/** The API shows hidden messages and mutes only to the user concerned. */
export async function readDetails(run: Run): Promise<void> {
  const { source, ledger, progress } = run;
  progress.begin('details of dialogs', await ledger.size('dialog'));
  const allUsers = run.publicDetails ? await usersOf(run) : [];
  for await (const { id, content: dialog } of ledger.items<SourceDialog>('dialog', String(ledger.cursor.done ?? ''))) {
    const occupants = dialog.type === 1 ? allUsers : dialog.occupantIds.filter((userId) => source.canReadAs(userId));
    const items: Item[] = [];
    let all: DialogReading | undefined;
    for (const userId of occupants) {
      all ??= await readAll(dialog, run);
      items.push(...(await hiddenItems(dialog, userId, all, run)), ...(await mutedItems(dialog, userId, run)));
    }
    ledger.count('deletionsForOneself', items.filter(({ kind }) => kind === 'hidden').length);
    ledger.count('mutedDialogs', items.filter(({ kind }) => kind === 'muted').length);
    await ledger.stage({ done: id }, items);
    progress.advance();
  }
}

async function usersOf({ source, ledger }: Run): Promise<number[]> {
  const ids: number[] = [];
  for await (const { id } of ledger.items('user')) if (source.canReadAs(Number(id))) ids.push(Number(id));
  return ids;
}

/** As the least restricted reader sees the dialog; ids are listed only if another reader sees fewer. */
interface DialogReading {
  count: number;
  ids: () => Promise<ReadonlySet<string>>;
}

async function readAll(dialog: SourceDialog, run: Run): Promise<DialogReading> {
  const readers = readersOf(dialog, run);
  if (readers[0] === 'all') {
    const count = (await run.source.countMessages(dialog, 'all').catch(ignoreMissing)) ?? 0;
    let ids: Promise<ReadonlySet<string>> | undefined;
    return { count, ids: () => (ids ??= listIds(dialog, 'all', run)) };
  }
  const seen = new Set<string>();
  for (const reader of readers) for (const id of await listIds(dialog, reader, run)) seen.add(id);
  return { count: seen.size, ids: async () => seen };
}

async function hiddenItems(dialog: SourceDialog, userId: number, all: DialogReading, run: Run): Promise<Item[]> {
  const count = await run.source.countMessages(dialog, userId).catch(ignoreMissing);
  if (count === undefined || count >= all.count) return [];
  const existing = await all.ids();
  const visible = await listIds(dialog, userId, run);
  return [...existing]
    .filter((id) => !visible.has(id))
    .map((messageId) => ({
      kind: 'hidden',
      id: `${messageId}:${userId}`,
      container: dialog.id,
      content: { messageId, userId },
    }));
}

async function mutedItems(dialog: SourceDialog, userId: number, { source }: Run): Promise<Item[]> {
  const isNotified = await source.isNotified(dialog, userId).catch(ignoreMissing);
  if (isNotified !== false) return [];
  return [{ kind: 'muted', id: `${dialog.id}:${userId}`, container: dialog.id, content: { userId } }];
}

const MAX_LISTED = 5_000_000;

async function listIds(dialog: SourceDialog, reader: Reader, { source }: Run): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  let wasKnown = false;
  for (let window = { from: 0, skip: 0 }; ; ) {
    const messages = (await source.messageIds(dialog, window, reader).catch(ignoreMissing)) ?? [];
    const before = ids.size;
    for (const { _id } of messages) ids.add(_id);
    if (messages.length < PAGE) return ids;
    const dates = messages.map(({ date_sent }) => date_sent);
    // If a second has at least a page of messages, one page may repeat; the next must contain new ones.
    const isKnown = ids.size === before;
    if ((isKnown && wasKnown) || ids.size > MAX_LISTED || dates.some((date) => date < window.from)) {
      throw new MigrationError(`messages of ${dialog.id} are not in the requested order`);
    }
    wasKnown = isKnown;
    window = nextWindow(window, dates);
  }
}
