import type pg from 'pg';
import { inTransaction } from '../archive/import-progress.ts';

/** Positions that the source may assign while the application is copied. */
const ROOM = 10n ** 9n;

/** Rows per statement. */
const CLEAR_BATCH = 5_000;

/**
 * Reserves positions in the target for the events of the application, so that cursors remain valid. Events that are
 * copied there precede all events that follow in the target, and its readers have already passed them.
 * @returns by how much positions grow
 */
export async function reservePositions(
  source: pg.Client,
  target: pg.Client,
  applicationId: number,
): Promise<{ shift: bigint; limit: bigint }> {
  const { rows: known } = await target.query<{ shift: string; limit: string }>(
    `SELECT shift, last AS limit FROM moved_positions WHERE application_id = $1 ORDER BY last DESC LIMIT 1`,
    [applicationId],
  );
  const [reserved] = known;
  const { first, last } = await rangeOf(source, applicationId);
  if (reserved && BigInt(reserved.limit) >= last)
    return { shift: BigInt(reserved.shift), limit: BigInt(reserved.limit) };
  const { last: own } = await rangeOf(target, applicationId);
  const limit = last + ROOM;
  // The positions of both ranges differ, so that a cursor is of one of them.
  const shift = own < first ? 0n : (own > limit ? own : limit) + 1n - first;
  await inTransaction(target, async () => {
    await target.query(`SELECT setval('events_outbox_position_seq', $1)`, [String(limit + shift)]);
    await target.query('UPDATE timelines SET first_position = $1', [String(limit + shift)]);
    await target.query(
      'INSERT INTO moved_positions (application_id, first, last, shift) VALUES ($1, $2, $3, $4)',
      [applicationId, first, limit, shift].map(String),
    );
    await publishMove(target, applicationId);
  });
  return { shift, limit };
}

/** Readers forget the events that they keep in memory, and connections of the application end. */
export async function publishMove(client: pg.Client, applicationId: number): Promise<void> {
  await client.query(
    `INSERT INTO events_outbox (application_id, kind, subject_id, created_at)
    VALUES ($1::int, 'applicationMoved', $1::text, now())`,
    [applicationId],
  );
}

/** Only the positions remain, because they are the cursors of other applications. */
export async function clearEvents(client: pg.Client, applicationId: number): Promise<void> {
  for (let last = '0'; ; ) {
    const { rows } = await client.query<{ last: string | null }>(
      `WITH cleared AS (
        UPDATE events_outbox SET application_id = 0, kind = 'applicationMoved', subject_id = '', dialog_id = NULL,
          class_key = NULL, user_id = NULL, name = NULL, detail = NULL, audience_ids = NULL
        WHERE position IN (SELECT position FROM events_outbox WHERE application_id = $1 AND position > $2
          AND kind <> 'applicationMoved' ORDER BY position LIMIT ${CLEAR_BATCH})
        RETURNING position)
      SELECT max(position) AS last FROM cleared`,
      [applicationId, last],
    );
    if (rows[0]!.last === null) return;
    last = rows[0]!.last;
  }
}

/** Where cursors of the application can be. */
async function rangeOf(client: pg.Client, applicationId: number): Promise<{ first: bigint; last: bigint }> {
  const { rows } = await client.query<{ first: string; last: string }>(
    `SELECT least(s.position, m.first) AS first, coalesce((SELECT last_value FROM events_outbox_position_seq), 0) AS last
    FROM outbox_start s, (SELECT min(first + shift) AS first FROM moved_positions WHERE application_id = $1) m`,
    [applicationId],
  );
  return { first: BigInt(rows[0]!.first), last: BigInt(rows[0]!.last) };
}
