import { expect } from 'vitest';
import { APPLICATION } from '../../support/app/app.ts';
import { sql } from '../../support/app/sql.ts';
import { type ChaosFixture, dialogsOf } from './fixture.ts';
import type { Listener } from './listener.ts';
import type { Acknowledged } from './writer.ts';

/** Log lines that must never appear, each with up to 14 following lines, which show where. */
export function faultsIn(output: string): string[] {
  const lines = output.split('\n');
  const isFault = (line: string) => /a resolver failed|could not be understood|nhandled/.test(line);
  return lines.flatMap((line, index) => (isFault(line) ? [lines.slice(index, index + 15).join('\n')] : []));
}

interface NotifiedEvent {
  position: bigint;
  dialogId: string;
  kind: string;
  audienceIds: number[] | null;
  /** Its message has been deleted, so a subscription that selects message fields may skip the event. */
  isGone: boolean;
}

export async function notifiedEvents(since: string): Promise<NotifiedEvent[]> {
  const rows = await sql<Omit<NotifiedEvent, 'position'> & { position: string }>(
    `SELECT e.position, e.dialog_id AS "dialogId", upper(left(e.kind::text, 1)) || substr(e.kind::text, 2) AS kind,
       e.audience_ids AS "audienceIds", m.id IS NULL AS "isGone"
     FROM events_outbox e LEFT JOIN messages m ON m.application_id = e.application_id AND m.id = e.subject_id
     WHERE e.position > $1 AND e.application_id = $2 AND e.dialog_id IS NOT NULL ORDER BY e.position`,
    [since, APPLICATION.id],
  );
  return rows.map((row) => ({ ...row, position: BigInt(row.position) }));
}

export function expectedOf(
  { options: { user, dialogId } }: Listener,
  notified: NotifiedEvent[],
  set: ChaosFixture,
): NotifiedEvent[] {
  const dialogIds = new Set(dialogId === undefined ? dialogsOf(set, user) : [dialogId]);
  return notified.filter((one) => dialogIds.has(one.dialogId) && (one.audienceIds?.includes(user.id) ?? true));
}

export function hasReceivedAll(listener: Listener, notified: NotifiedEvent[], set: ChaosFixture): boolean {
  const last = expectedOf(listener, notified, set).at(-1)!;
  return listener.received.some(({ position }) => position >= last.position);
}

export function expectReceivedOnce({ options, received, faults }: Listener, expected: NotifiedEvent[]): void {
  const who = `user ${options.user.id} by ${options.via}, ${options.dialogId ?? 'all dialogs'}`;
  expect(faults, who).toEqual([]);
  const looksAtMessages = options.withMessages || options.via === 'polls';
  const heardAt = new Set(received.map(({ position }) => position));
  const due = expected.filter(({ position, kind, isGone }) => {
    const mayBeLeftOut = looksAtMessages && isGone && /^Message(Sent|Edited)$/.test(kind);
    return heardAt.has(position) || !mayBeLeftOut;
  });
  const text = ({ position, kind, dialogId }: Pick<NotifiedEvent, 'position' | 'kind' | 'dialogId'>) =>
    `${position} ${kind} ${dialogId}`;
  expect(received.map(text), who).toEqual(due.map(text));
}

export async function expectStoredOnce(acknowledged: Acknowledged[]): Promise<void> {
  expect(acknowledged.length).toBeGreaterThan(0);
  expect(new Set(acknowledged.map(({ id }) => id)).size).toBe(acknowledged.length);
  const keys = await sql<{ userId: number; key: string; messageId: string; announced: number }>(
    `SELECT user_id AS "userId", key, message_id AS "messageId",
       (SELECT count(*)::int FROM events_outbox e WHERE e.subject_id = k.message_id AND e.kind = 'messageSent') AS announced
     FROM message_keys k WHERE application_id = $1`,
    [APPLICATION.id],
  );
  const stored = keys
    .map(({ userId, key, messageId, announced }) => `${userId} ${key} ${messageId} ${announced}`)
    .sort();
  expect(stored).toEqual(acknowledged.map(({ senderId, clientId, id }) => `${senderId} ${clientId} ${id} 1`).sort());
}
