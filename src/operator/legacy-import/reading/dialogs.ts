import { SourceRefusal } from '../client.ts';
import type { Run } from '../run.ts';
import { PAGE, type Reader } from '../source.ts';
import { Bound, requireAscending } from './bound.ts';

const NEEDS_USER = [401, 403, 422];

/** Without permission for the API key alone, `readPlaces` lists the dialogs per user. */
export async function readDialogs({ source, ledger, progress }: Run): Promise<void> {
  if (!source.hasKey) return;
  let after = String(ledger.cursor.after ?? '');
  let bound: Bound | undefined;
  for (;;) {
    const page = await source.dialogs(after, 'all').catch((error) => {
      if (error instanceof SourceRefusal && NEEDS_USER.includes(error.status)) return undefined;
      throw error;
    });
    if (!page) return;
    if (!bound) progress.begin('dialogs', page.total_entries);
    bound ??= new Bound('dialogs', page.total_entries);
    bound.add(page.items.length);
    const ids = page.items.map(({ id }) => id);
    requireAscending('dialogs', ids, after);
    after = ids.at(-1) ?? after;
    ledger.count('dialogsByKey', page.items.length);
    await ledger.keep(
      { after },
      page.items.map((content) => ({ kind: 'dialog', id: content.id, content })),
    );
    progress.advance(page.items.length);
    if (page.items.length < PAGE) return;
  }
}

export function keyReadsDialogs({ ledger }: Run): boolean {
  return (ledger.counts.dialogsByKey ?? 0) > 0;
}

/** A private dialog that is missing from the list of a user was hidden by the user. */
export async function readPlaces(run: Run): Promise<void> {
  const { source, ledger, progress } = run;
  const users = ledger.batches<unknown>('user', String(ledger.cursor.user ?? ''));
  progress.begin('lists of dialogs', await listCount(run));
  for await (const batch of users) {
    for (const { id } of batch) {
      if (!source.hasKey && !source.signedIn.includes(Number(id))) continue;
      await readPlacesOf(Number(id), run);
      await ledger.keep({ user: id }, [{ kind: 'asked', id, content: {} }]);
      progress.advance();
    }
  }
}

async function listCount({ source, ledger }: Run): Promise<number> {
  return source.hasKey ? ledger.size('user') : source.signedIn.length;
}

async function readPlacesOf(userId: number, run: Run): Promise<void> {
  const { source, ledger } = run;
  const isKnown = keyReadsDialogs(run);
  let bound: Bound | undefined;
  for (let after = ''; ; ) {
    const ask = isKnown ? readPlacePage : readDialogPage;
    const page = await ask(source, after, userId).catch(ignoreMissing);
    if (!page) return;
    bound ??= new Bound(`dialogs of user ${userId}`, page.total);
    bound.add(page.ids.length);
    requireAscending(`dialogs of user ${userId}`, page.ids, after);
    const places = page.ids.map((id) => ({
      kind: 'place' as const,
      id: `${id}:${userId}`,
      container: id,
      content: { userId },
    }));
    await ledger.keep(ledger.cursor, [...page.dialogs, ...places]);
    if (page.ids.length < PAGE) return;
    after = page.ids.at(-1)!;
  }
}

async function readPlacePage(source: Run['source'], after: string, userId: Reader) {
  const { items, total_entries: total } = await source.places(after, userId);
  return { total, ids: items.map(({ _id }) => _id), dialogs: [] };
}

async function readDialogPage(source: Run['source'], after: string, userId: Reader) {
  const { items, total_entries: total } = await source.dialogs(after, userId);
  const dialogs = items.map((content) => ({ kind: 'dialog' as const, id: content.id, content }));
  return { total, ids: items.map(({ id }) => id), dialogs };
}

/** Objects may be deleted after they were listed, or no longer be visible to the reader. */
export function ignoreMissing(error: unknown): undefined {
  if (error instanceof SourceRefusal && (error.status === 404 || error.status === 403)) return undefined;
  throw error;
}
