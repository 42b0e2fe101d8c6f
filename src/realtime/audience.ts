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

/**
 * Who may know of a row now. The occupants of busy dialogs are kept; each row comes with the version of its dialog's
 * occupants, so a stale copy is noticed and read again before anything is delivered.
 */
export class Audience {
  #dialogs = new Map<string, Occupants>();

  /** Makes sure that the occupants of the rows' dialogs are known as they are now. */
  async prepare(rows: StreamRow[]): Promise<void> {
    const stale = new Map<string, StreamRow>();
    for (const row of rows) {
      if (row.dialogId === null || row.memberVersion === null || row.dialogType === PUBLIC_GROUP) continue;
      if (this.#dialogs.get(row.dialogId)?.version !== row.memberVersion) stale.set(row.dialogId, row);
    }
    if (stale.size === 0) return;
    const fresh = await readOccupants([...stale.values()]);
    for (const { dialogId, version, userIds } of fresh) this.#keep(dialogId, { version, userIds: new Set(userIds) });
  }

  /** `'everyone'` of the application, or the ids of the users. Call `prepare` first. */
  of(row: StreamRow): 'everyone' | ReadonlySet<number> {
    if (row.dialogId === null || row.memberVersion === null) return NOBODY;
    if (row.dialogType === PUBLIC_GROUP) return 'everyone';
    return this.#dialogs.get(row.dialogId)?.userIds ?? NOBODY;
  }

  /** The rows that the watcher may know of. */
  async mayPass(rows: StreamRow[], { viewer }: WatchedDialogs): Promise<StreamRow[]> {
    await this.prepare(rows);
    return rows.filter((row) => {
      if (row.memberVersion === null) return false;
      if (viewer.kind === 'key') return true;
      const audience = this.of(row);
      return audience === 'everyone' || audience.has(viewer.userId);
    });
  }

  #keep(dialogId: string, occupants: Occupants): void {
    this.#dialogs.delete(dialogId);
    this.#dialogs.set(dialogId, occupants);
    if (this.#dialogs.size <= MAX_DIALOGS) return;
    const [oldest] = this.#dialogs.keys();
    this.#dialogs.delete(oldest!);
  }
}

const NOBODY: ReadonlySet<number> = new Set();

function readOccupants(rows: StreamRow[]) {
  return db.$queryRaw<{ dialogId: string; version: number; userIds: number[] }[]>`
    SELECT d.id AS "dialogId", d.member_version AS version,
      ARRAY(SELECT m.user_id FROM members m WHERE m.application_id = d.application_id AND m.dialog_id = d.id) AS "userIds"
    FROM unnest(${rows.map((row) => row.applicationId)}::int[], ${rows.map((row) => row.dialogId)}::text[])
      AS wanted (application_id, id)
    JOIN dialogs d USING (application_id, id)`;
}
