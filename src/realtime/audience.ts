import { db } from '../db/client.ts';
import type { StreamRow } from './outbox-reader.ts';
import type { WatchedDialogs } from './watch.ts';

interface Occupants {
  version: number;
  userIds: Set<number>;
}

/** Dialogs whose occupants are kept at hand. */
const MAX_DIALOGS = 2_000;

/** Public groups belong to every user of their application. */
const PUBLIC_GROUP = 1;

/** Users who may know of a row: all of its application, or these. */
export type Knowing = 'everyone' | ReadonlySet<number>;

/**
 * Who may know of a row now. The occupants of busy dialogs are kept; each row comes with the version of its dialog's
 * occupants, so a stale copy is noticed and read again before anything is delivered.
 */
export class Audience {
  /** The most recently asked for come last. */
  readonly #dialogs = new Map<string, Occupants>();
  readonly #maxDialogs: number;

  constructor(maxDialogs = MAX_DIALOGS) {
    this.#maxDialogs = maxDialogs;
  }

  /** Who may know of each of the rows. What is kept may change at once; the answer does not. */
  async of(rows: StreamRow[]): Promise<(row: StreamRow) => Knowing> {
    const occupants = new Map<string, Occupants>();
    const stale = new Map<string, StreamRow>();
    for (const row of rows) {
      if (row.dialogId === null || row.memberVersion === null || row.dialogType === PUBLIC_GROUP) continue;
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
    return ({ dialogId, memberVersion, dialogType }) => {
      if (dialogId === null || memberVersion === null) return NOBODY;
      return dialogType === PUBLIC_GROUP ? 'everyone' : (occupants.get(dialogId)?.userIds ?? NOBODY);
    };
  }

  /** The rows that the watcher may know of. */
  async mayPass(rows: StreamRow[], { viewer }: WatchedDialogs): Promise<StreamRow[]> {
    const knowing = await this.of(rows);
    return rows.filter((row) => {
      if (row.memberVersion === null) return false;
      if (viewer.kind === 'key') return true;
      const users = knowing(row);
      return users === 'everyone' || users.has(viewer.userId);
    });
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

const NOBODY: ReadonlySet<number> = new Set();

function readOccupants(rows: StreamRow[]) {
  return db.$queryRaw<{ dialogId: string; version: number; userIds: number[] }[]>`
    SELECT d.id AS "dialogId", d.member_version AS version,
      ARRAY(SELECT m.user_id FROM members m
        WHERE m.application_id = d.application_id AND m.dialog_id = d.id AND m.left_at IS NULL) AS "userIds"
    FROM unnest(${rows.map((row) => row.applicationId)}::int[], ${rows.map((row) => row.dialogId)}::text[])
      AS wanted (application_id, id)
    JOIN dialogs d USING (application_id, id)`;
}
