import { coalesce } from '../db/coalesce.ts';
import { DIALOG_TYPE } from '../db/dialog-types.ts';
import { query } from '../db/query.ts';
import { groupBy } from '../lib/collections.ts';
import type { StreamRow } from './outbox-reader.ts';
import { type SubscriptionTarget, wants } from './subscription.ts';

interface Occupants {
  version: number;
  userIds: Set<number>;
}

/** Dialogs whose occupants are kept at hand. */
const MAX_DIALOGS = 2_000;

/** It belongs to every user of its application. */
const { PUBLIC_GROUP } = DIALOG_TYPE;

/** Users who may know of a row: all of its application, or these. */
export type Recipients = 'everyone' | ReadonlySet<number>;

/**
 * Who may know of a row now. The occupants of busy dialogs are kept; each row comes with the version of its dialog's
 * occupants, so a stale copy is noticed and read again before anything is delivered.
 */
export class RecipientResolver {
  /** The most recently asked for come last. */
  readonly #dialogs = new Map<string, Occupants>();
  readonly #maxDialogs: number;

  constructor(maxDialogs = MAX_DIALOGS) {
    this.#maxDialogs = maxDialogs;
  }

  /** Who may know of each of the rows. What is kept may change at once; the answer does not. */
  async of(rows: StreamRow[]): Promise<(row: StreamRow) => Recipients> {
    const [recipients] = await Promise.all([this.#of(rows), markHidden(rows)]);
    return recipients;
  }

  /** The rows that the watcher wants and may know of. */
  async confine(rows: StreamRow[], target: SubscriptionTarget): Promise<StreamRow[]> {
    const { viewer, kind, dialogId, classKey } = target;
    const wanted = rows.filter(
      (row) =>
        row.applicationId === viewer.applicationId &&
        wants(kind, row) &&
        (dialogId === undefined || row.dialogId === dialogId) &&
        (classKey === undefined || row.classKey === classKey),
    );
    const [recipients, hidden] = await Promise.all([this.#of(wanted), messagesHiddenFrom(viewer, wanted)]);
    return wanted.filter(
      (row) => canReceive(viewer, row, recipients(row)) && !(isOfMessage(row) && hidden.has(row.subjectId)),
    );
  }

  async #of(rows: StreamRow[]): Promise<(row: StreamRow) => Recipients> {
    const occupants = new Map<string, Occupants>();
    const stale = new Map<string, StreamRow>();
    for (const row of rows) {
      if (row.audienceIds || row.dialogId === null || row.memberVersion === null) continue;
      if (row.dialogType === PUBLIC_GROUP) continue;
      const kept = this.#dialogs.get(row.dialogId);
      if (kept?.version === row.memberVersion) occupants.set(row.dialogId, kept);
      else stale.set(row.dialogId, row);
    }
    if (stale.size > 0) {
      for (const { dialogId, version, userIds } of await readOccupants([...stale.values()])) {
        occupants.set(dialogId, { version, userIds: new Set(userIds) });
      }
    }
    this.#keep(occupants);
    return ({ dialogId, memberVersion, dialogType, audienceIds, detail }) => {
      if (audienceIds) return new Set(audienceIds);
      // Only public groups are destroyed without a list of those who knew them.
      if (detail?.removal === 'destroyed') return 'everyone';
      if (dialogId === null || memberVersion === null) return NOBODY;
      return dialogType === PUBLIC_GROUP ? 'everyone' : (occupants.get(dialogId)?.userIds ?? NOBODY);
    };
  }

  #keep(occupants: Map<string, Occupants>): void {
    for (const [dialogId, known] of occupants) {
      this.#dialogs.delete(dialogId);
      this.#dialogs.set(dialogId, known);
    }
    for (const oldest of this.#dialogs.keys()) {
      if (this.#dialogs.size <= this.#maxDialogs) break;
      this.#dialogs.delete(oldest);
    }
  }
}

/**
 * An API key alone knows what happens for all; what concerns single users is theirs. Rights in records are looked at when
 * they are told.
 */
export function canReceive(viewer: SubscriptionTarget['viewer'], row: StreamRow, recipients: Recipients): boolean {
  if (row.classKey !== null) return true;
  if (viewer.kind === 'user') {
    return (recipients === 'everyone' || recipients.has(viewer.userId)) && !row.hiddenFrom?.includes(viewer.userId);
  }
  if (row.detail?.removal === 'destroyed') return true;
  return row.audienceIds === null && row.memberVersion !== null;
}

const NOBODY: ReadonlySet<number> = new Set();

const OF_MESSAGES = new Set<string>(['messageSent', 'messageEdited', 'reactionAdded', 'reactionRemoved']);

function isOfMessage({ kind }: StreamRow): boolean {
  return OF_MESSAGES.has(kind);
}

/** Notes from whom the messages of later events are hidden; a message that was just sent is hidden from nobody. */
async function markHidden(rows: StreamRow[]): Promise<void> {
  const edits = rows.filter((row) => isOfMessage(row) && row.kind !== 'messageSent');
  if (edits.length === 0) return;
  const hidden = await query<{ id: string; userId: number }>`
    SELECT m.id, h.user_id AS "userId"
    FROM unnest(${edits.map((row) => row.applicationId)}::int[], ${edits.map((row) => row.subjectId)}::text[])
      AS edited (application_id, id)
    JOIN messages m USING (application_id, id) JOIN hidden_messages h USING (application_id, dialog_id, seq)`;
  const users = groupBy(hidden, ({ id }) => id);
  for (const row of edits) row.hiddenFrom = users.get(row.subjectId)?.map(({ userId }) => userId);
}

/**
 * Messages among the rows' that the viewer has deleted for themselves: an answer that others share would show them.
 * @returns their ids, and maybe more
 */
async function messagesHiddenFrom(viewer: SubscriptionTarget['viewer'], rows: StreamRow[]): Promise<Set<string>> {
  const oldest = new Map<string, string>();
  for (const row of rows) {
    if (!isOfMessage(row)) continue;
    const known = oldest.get(row.dialogId!);
    if (known === undefined || row.subjectId < known) oldest.set(row.dialogId!, row.subjectId);
  }
  if (viewer.kind !== 'user' || oldest.size === 0) return new Set();
  const { applicationId, userId } = viewer;
  const ids = [...oldest].map(([dialogId, since]) => hiddenSince({ applicationId, userId, dialogId, since }));
  return new Set((await Promise.all(ids)).flat());
}

interface HiddenSince {
  applicationId: number;
  userId: number;
  dialogId: string;
  /** The oldest message that is asked for: ids rise with time. */
  since: string;
}

const hiddenSince = coalesce(
  async (wanted: HiddenSince[]): Promise<string[][]> => {
    const rows = await query<{ ord: number; id: string }>`
      SELECT w.ord::int AS ord, m.id
      FROM unnest(${wanted.map((one) => one.applicationId)}::int[], ${wanted.map((one) => one.userId)}::int[],
        ${wanted.map((one) => one.dialogId)}::text[], ${wanted.map((one) => one.since)}::text[])
        WITH ORDINALITY AS w (application_id, user_id, dialog_id, since, ord)
      JOIN hidden_messages h USING (application_id, user_id, dialog_id)
      JOIN messages m USING (application_id, dialog_id, seq)
      WHERE m.id >= w.since`;
    const byOrd = groupBy(rows, (row) => row.ord);
    return wanted.map((_, index) => (byOrd.get(index + 1) ?? []).map(({ id }) => id));
  },
  { max: 10_000 },
);

function readOccupants(rows: StreamRow[]) {
  return query<{ dialogId: string; version: number; userIds: number[] }>`
    SELECT d.id AS "dialogId", d.member_version AS version,
      ARRAY(SELECT m.user_id FROM members m
        WHERE m.application_id = d.application_id AND m.dialog_id = d.id AND m.left_at IS NULL) AS "userIds"
    FROM unnest(${rows.map((row) => row.applicationId)}::int[], ${rows.map((row) => row.dialogId)}::text[])
      AS wanted (application_id, id)
    JOIN dialogs d USING (application_id, id)`;
}
