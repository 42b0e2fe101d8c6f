import { ignoreMissing, MigrationError } from '../errors.ts';
import type { Cursor } from '../ledger.ts';
import type { Run } from '../run.ts';
import { query, unixSeconds } from '../service.ts';
import type { SourceDialog, SourceMessage } from '../shapes.ts';
import { type MessageWindow, nextWindow, PAGE, type Reader } from '../source.ts';
import { keyReadsDialogs } from './dialogs.ts';
import { Bound } from './pages.ts';

/** Seconds read again in each run, because clocks differ and timestamps are whole seconds. */
const OVERLAP = 60;

export async function readMessages(run: Run): Promise<void> {
  const { ledger, progress } = run;
  const after = String(ledger.cursor.done ?? '');
  progress.begin('messages');
  for await (const { id, content: dialog } of ledger.items<SourceDialog>('dialog', after)) {
    const { dialog: resumedDialog, task: resumedTask, from, skip } = ledger.cursor;
    const first = resumedDialog === id ? Number(resumedTask) : 0;
    for (const [task, { reader, window }] of (await tasksOf(dialog, run)).entries()) {
      if (task < first) continue;
      const isResumed = resumedDialog === id && task === first;
      const rest = isResumed ? { ...window, from: Number(from), skip: Number(skip) } : window;
      await readWindow(dialog, { reader, window: rest, task }, run);
    }
    await ledger.stage({ done: id });
  }
}

export function readersOf(dialog: SourceDialog, run: Run): Reader[] {
  if (keyReadsDialogs(run)) return ['all'];
  const { source } = run;
  if (dialog.type === 1) return source.hasKey ? [dialog.userId] : source.signedIn.slice(0, 1);
  return dialog.occupantIds.filter((id) => source.canReadAs(id));
}

interface Task {
  reader: Reader;
  window: MessageWindow;
}

async function tasksOf(dialog: SourceDialog, run: Run): Promise<Task[]> {
  const readers = readersOf(dialog, run);
  const from = await firstOpen(dialog, run);
  const { since } = run.ledger;
  return readers.flatMap((reader) => {
    const recent = { reader, window: { from, skip: 0 } };
    if (from === 0 || !since) return [recent];
    const changedSince = unixSeconds(since) - OVERLAP;
    return [recent, { reader, window: { from: 0, skip: 0, changedSince } }];
  });
}

/** Messages before this `date_sent` can only have been edited since the previous run; 0 in the first run. */
async function firstOpen({ id, type }: SourceDialog, { ledger }: Run): Promise<number> {
  if (!ledger.since) return 0;
  const { applicationId } = ledger;
  const [row] = await query<{ second: number | null }>`
    SELECT coalesce(
      (SELECT m.date_sent FROM messages m
        WHERE ${type}::int <> 1 AND m.application_id = ${applicationId} AND m.dialog_id = ${id} AND m.seq > (
          SELECT min(least(mb.read_seq, mb.delivered_seq)) FROM members mb
          WHERE mb.application_id = ${applicationId} AND mb.dialog_id = ${id} AND mb.left_at IS NULL)
        ORDER BY m.seq LIMIT 1),
      (SELECT m.date_sent FROM messages m WHERE m.application_id = ${applicationId} AND m.dialog_id = ${id}
        ORDER BY m.seq DESC LIMIT 1)) AS second`;
  const second = row?.second ?? 0;
  // Messages sent here do not exist on the other server, so those received there since the previous run are included.
  return second === 0 ? 0 : Math.min(second, unixSeconds(ledger.since) - OVERLAP);
}

async function readWindow(
  dialog: SourceDialog,
  { reader, window: first, task }: Task & { task: number },
  { source, ledger, progress }: Run,
): Promise<void> {
  const total = await source.countMessages(dialog, reader).catch(ignoreMissing);
  if (total === undefined) return;
  const bound = new Bound(`messages of ${dialog.id}`, total * 2);
  for (let window = first; ; ) {
    const messages = await source.messages(dialog, window, reader).catch(ignoreMissing);
    if (!messages) return;
    bound.add(messages.length);
    requireOrder(dialog, window, messages);
    if (messages.length > 0) {
      window = nextWindow(
        window,
        messages.map(({ dateSent }) => dateSent),
      );
    }
    ledger.count('messagesRead', messages.length);
    const { from, skip } = window;
    await ledger.stage({ ...doneOf(ledger.cursor), dialog: dialog.id, task, from, skip }, [], messages);
    progress.advance(messages.length);
    if (messages.length < PAGE) return;
  }
}

function doneOf({ done }: Cursor): Cursor {
  return done === undefined ? {} : { done };
}

function requireOrder({ id }: SourceDialog, { from }: MessageWindow, messages: SourceMessage[]): void {
  let last = from;
  for (const { dateSent } of messages) {
    if (dateSent < last) throw new MigrationError(`messages of ${id} are not in the requested order`);
    last = dateSent;
  }
}
