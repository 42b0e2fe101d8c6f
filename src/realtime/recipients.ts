import { applicationOf, coalesce } from '../db/coalesce.ts';
import { DIALOG_TYPE } from '../db/dialog-types.ts';
import { query } from '../db/query.ts';
import { groupBy } from '../lib/collections.ts';
import type { StreamRow } from './outbox-reader.ts';
import { type SubscriptionTarget, wants } from './subscription.ts';

interface Occupants {
  version: number;
  userIds: Set<number>;
}

const MAX_DIALOGS = 2_000;

const { PUBLIC_GROUP } = DIALOG_TYPE;

/** The users who may receive a row: these, or all of its application. */
export type Recipients = 'everyone' | ReadonlySet<number>;

/**
 * Resolves the current recipients of rows. Occupants of busy dialogs are cached; each row contains the version of the
 * occupants, so that a stale entry is read again before delivery.
 */
export class RecipientResolver {
  readonly #dialogs = new Map<string, Occupants>();
  readonly #maxDialogs: number;

  constructor(maxDialogs = MAX_DIALOGS) {
    this.#maxDialogs = maxDialogs;
  }

  /** The result does not change when the cache does. */
  async of(rows: StreamRow[]): Promise<(row: StreamRow) => Recipients> {
    const [recipients] = await Promise.all([this.#of(rows), markHidden(rows)]);
    return recipients;
  }

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
      for (const known of await Promise.all([...stale.values()].map(readOccupants))) {
        if (known) occupants.set(known.dialogId, { version: known.version, userIds: new Set(known.userIds) });
      }
    }
    this.#keep(occupants);
    return ({ dialogId, memberVersion, dialogType, audienceIds, detail }) => {
      if (audienceIds) return new Set(audienceIds);
      // Only public groups are destroyed without a list of recipients.
      if (detail?.removal === 'destroyed') return 'everyone';
      if (dialogId === null || memberVersion === null) return NO_USERS;
      return dialogType === PUBLIC_GROUP ? 'everyone' : (occupants.get(dialogId)?.userIds ?? NO_USERS);
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
 * An API key alone receives events for all occupants, not those for single users. Permissions of records are checked at
 * delivery.
 */
export function canReceive(viewer: SubscriptionTarget['viewer'], row: StreamRow, recipients: Recipients): boolean {
  if (row.classKey !== null) return true;
  if (viewer.kind === 'user') {
    if (row.hiddenFrom?.includes(viewer.userId) || row.blockerIds?.includes(viewer.userId)) return false;
    return recipients === 'everyone' || recipients.has(viewer.userId);
  }
  if (row.detail?.removal === 'destroyed') return true;
  return row.audienceIds === null && row.memberVersion !== null;
}

const NO_USERS: ReadonlySet<number> = new Set();

const OF_MESSAGES = new Set<string>(['messageSent', 'messageEdited', 'reactionAdded', 'reactionRemoved']);

function isOfMessage({ kind }: StreamRow): boolean {
  return OF_MESSAGES.has(kind);
}

/** Sets `hiddenFrom` of later events of messages; a new message is hidden from no user. */
async function markHidden(rows: StreamRow[]): Promise<void> {
  const edits = rows.filter((row) => isOfMessage(row) && row.kind !== 'messageSent');
  const mark = async (row: StreamRow) => {
    row.hiddenFrom = await usersWhoHid(row);
  };
  await Promise.all(edits.map(mark));
}

const usersWhoHid = coalesce(
  async (edits: StreamRow[], applicationId: number): Promise<(number[] | undefined)[]> => {
    const hidden = await query<{ id: string; userId: number }>`
      SELECT m.id, h.user_id AS "userId"
      FROM messages m
      JOIN hidden_messages h ON h.application_id = ${applicationId} AND h.dialog_id = m.dialog_id AND h.seq = m.seq
      WHERE m.application_id = ${applicationId} AND m.id = ANY(${edits.map((row) => row.subjectId)}::text[])`;
    const users = groupBy(hidden, ({ id }) => id);
    return edits.map(({ subjectId }) => users.get(subjectId)?.map(({ userId }) => userId));
  },
  { max: 10_000, applicationOf },
);

/**
 * Ids of messages that the viewer has hidden, because shared results would contain them.
 * @returns a superset is possible
 */
async function messagesHiddenFrom(viewer: SubscriptionTarget['viewer'], rows: StreamRow[]): Promise<Set<string>> {
  const oldest = new Map<string, string>();
  for (const row of rows) {
    if (!isOfMessage(row)) continue;
    const earliest = oldest.get(row.dialogId!);
    if (earliest === undefined || row.subjectId < earliest) oldest.set(row.dialogId!, row.subjectId);
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
  /** The oldest message of the rows; ids ascend with time. */
  since: string;
}

const hiddenSince = coalesce(
  async (wanted: HiddenSince[], applicationId: number): Promise<string[][]> => {
    const rows = await query<{ ord: number; id: string }>`
      SELECT w.ord::int AS ord, m.id
      FROM unnest(${wanted.map((one) => one.userId)}::int[], ${wanted.map((one) => one.dialogId)}::text[],
        ${wanted.map((one) => one.since)}::text[]) WITH ORDINALITY AS w (user_id, dialog_id, since, ord)
      JOIN hidden_messages h ON h.application_id = ${applicationId} AND h.user_id = w.user_id
        AND h.dialog_id = w.dialog_id
      JOIN messages m ON m.application_id = ${applicationId} AND m.dialog_id = h.dialog_id AND m.seq = h.seq
      WHERE m.id >= w.since`;
    const byOrd = groupBy(rows, (row) => row.ord);
    return wanted.map((_, index) => (byOrd.get(index + 1) ?? []).map(({ id }) => id));
  },
  { max: 10_000, applicationOf },
);

/** Undefined for deleted dialogs. */
const readOccupants = coalesce(
  async (wanted: StreamRow[], applicationId: number) => {
    const ids = [...new Set(wanted.map(({ dialogId }) => dialogId))];
    const rows = await query<{ dialogId: string; version: number; userIds: number[] }>`
      SELECT d.id AS "dialogId", d.member_version AS version,
        ARRAY(SELECT m.user_id FROM members m
          WHERE m.application_id = ${applicationId} AND m.dialog_id = d.id AND m.left_at IS NULL) AS "userIds"
      FROM dialogs d WHERE d.application_id = ${applicationId} AND d.id = ANY(${ids}::text[])`;
    const known = new Map<string | null, (typeof rows)[number]>(rows.map((row) => [row.dialogId, row]));
    return wanted.map(({ dialogId }) => known.get(dialogId));
  },
  { max: 10_000, applicationOf },
);
