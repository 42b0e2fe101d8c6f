import { ignoreMissing, SourceError } from '../errors.ts';
import type { Item } from '../ledger.ts';
import type { Run } from '../run.ts';
import type { SourceDialog } from '../shapes.ts';
import { pagesById } from './pages.ts';

const NEEDS_USER = [401, 403, 422];

/** Without permission for the API key alone, `readDialogLists` lists the dialogs per user. */
export async function readDialogs({ source, ledger, progress }: Run): Promise<void> {
  if (!source.hasKey) return;
  const pages = pagesById({
    what: 'dialogs',
    after: String(ledger.cursor.after ?? ''),
    read: (after: string) =>
      source.dialogs(after, 'all').catch((error) => {
        if (error instanceof SourceError && NEEDS_USER.includes(error.status)) return undefined;
        throw error;
      }),
    onTotal: (total) => progress.begin('dialogs', total),
  });
  for await (const { items, after } of pages) {
    ledger.count('dialogsByKey', items.length);
    await ledger.stage({ after }, items.map(dialogItem));
    progress.advance(items.length);
  }
}

function dialogItem(content: SourceDialog): Item {
  return { kind: 'dialog', id: content.id, content };
}

export function keyReadsDialogs({ ledger }: Run): boolean {
  return (ledger.counts.dialogsByKey ?? 0) > 0;
}

/** A private dialog that is missing from the list of a user was hidden by the user. */
export async function readDialogLists(run: Run): Promise<void> {
  const { source, ledger, progress } = run;
  progress.begin('lists of dialogs', source.hasKey ? await ledger.size('user') : source.signedIn.length);
  for await (const { id } of ledger.items('user', String(ledger.cursor.user ?? ''))) {
    if (!source.canReadAs(Number(id))) continue;
    await readDialogList(Number(id), run);
    await ledger.stage({ user: id }, [{ kind: 'dialog list', id, content: {} }]);
    progress.advance();
  }
}

async function readDialogList(userId: number, run: Run): Promise<void> {
  const { source, ledger } = run;
  const read = async (after: string) => {
    if (!keyReadsDialogs(run)) return source.dialogs(after, userId);
    return source.dialogIds(after, userId);
  };
  const pages = pagesById<string, { id: string } | SourceDialog>({
    what: `dialogs of user ${userId}`,
    after: '',
    read: (after) => read(after).catch(ignoreMissing),
  });
  for await (const { items } of pages) {
    const dialogs = items.filter((item): item is SourceDialog => 'type' in item).map(dialogItem);
    const entries = items.map(
      ({ id }): Item => ({ kind: 'listed dialog', id: `${id}:${userId}`, container: id, content: { userId } }),
    );
    await ledger.stage(ledger.cursor, [...dialogs, ...entries]);
  }
}
