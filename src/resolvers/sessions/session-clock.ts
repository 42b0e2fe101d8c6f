import type { Logger } from 'pino';
import type { SessionClock, StoredSession } from '../../context.ts';
import { Prisma } from '../../db/client.ts';
import { columns } from '../../db/columns.ts';
import { query } from '../../db/query.ts';
import { byShard } from '../../db/shards.ts';
import { MINUTE, SECOND } from '../../lib/time.ts';
import { detached } from '../../platform/observability/tracing.ts';

type Lifetime = Pick<StoredSession, 'sessionMinutes' | 'maxSessionMinutes' | 'signedInAt'>;
type SessionKey = Pick<StoredSession, 'applicationId' | 'id'>;
type UserKey = { applicationId: number; userId: number };
type StoredUser = { applicationId: number; id: number; lastRequestAt: Date | null };

const FLUSH_DELAY_MS = SECOND;

/** Stores request times once per second in one statement; until then reads them from memory, so that they are exact. */
export class BatchedSessionClock implements SessionClock {
  readonly #sessionMinutes: number;
  readonly #log: Logger;
  readonly #sessions = new Touches('sessions', 'updated_at');
  readonly #users = new Touches('users', 'last_request_at');
  readonly #seen = new Touches('users', 'last_seen_at');
  readonly #keys = new Touches('api_keys', 'last_used_at');
  #timer: NodeJS.Timeout | undefined;
  #flush = Promise.resolve();

  constructor({ sessionMinutes, log }: { sessionMinutes: number; log: Logger }) {
    this.#sessionMinutes = sessionMinutes;
    this.#log = log;
  }

  expiry(latestRequest: Date, { sessionMinutes, maxSessionMinutes, signedInAt }: Lifetime): Date {
    const unused = latestRequest.getTime() + (sessionMinutes ?? this.#sessionMinutes) * MINUTE;
    if (maxSessionMinutes === null) return new Date(unused);
    return new Date(Math.min(unused, signedInAt.getTime() + maxSessionMinutes * MINUTE));
  }

  isExpired(session: StoredSession, now: Date): boolean {
    return this.expiry(this.latestRequest(session), session) <= now;
  }

  latestRequest(session: SessionKey & Pick<StoredSession, 'updatedAt'>): Date {
    const at = this.#sessions.latest(session);
    return at && at > session.updatedAt ? at : session.updatedAt;
  }

  latestRequestOf(user: StoredUser): Date | null {
    const at = this.#users.latest(user);
    return at && (user.lastRequestAt === null || at > user.lastRequestAt) ? at : user.lastRequestAt;
  }

  touch({ applicationId, id, userId }: StoredSession, at: Date): void {
    this.#sessions.add({ applicationId, id, at });
    if (userId !== null) this.#users.add({ applicationId, id: userId, at });
    this.#schedule();
  }

  touchUser({ applicationId, userId }: UserKey, at: Date): void {
    this.#users.add({ applicationId, id: userId, at });
    this.#schedule();
  }

  touchSeen({ applicationId, userId }: UserKey, at: Date): void {
    this.#seen.add({ applicationId, id: userId, at });
    this.#schedule();
  }

  latestSeenOf(user: StoredUser & { lastSeenAt: Date | null }): Date | null {
    const times = [this.#seen.latest(user), user.lastSeenAt, this.latestRequestOf(user)];
    const [latest] = times.filter((at) => at != null).sort((a, b) => b.getTime() - a.getTime());
    return latest ?? null;
  }

  touchKey(key: SessionKey, at: Date): void {
    this.#keys.add({ ...key, at });
    this.#schedule();
  }

  latestUseOf(key: SessionKey & { lastUsedAt: Date | null }): Date | null {
    const at = this.#keys.latest(key);
    return at && (key.lastUsedAt === null || at > key.lastUsedAt) ? at : key.lastUsedAt;
  }

  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#flush = this.#flush.then(() => this.#store());
    return this.#flush;
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => void detached(() => this.flush()), FLUSH_DELAY_MS).unref();
  }

  async #store(): Promise<void> {
    const tables = [this.#sessions, this.#users, this.#seen, this.#keys];
    for (const touches of tables) touches.begin();
    try {
      let isComplete = true;
      for (const touches of tables) isComplete = (await touches.store()) && isComplete;
      if (!isComplete) this.#schedule();
    } catch (error) {
      // Sessions stay valid: only these times are lost, and the next request stores a later one.
      this.#log.warn(
        { err: error },
        'could not store the times of the latest requests; the next requests store later ones',
      );
    } finally {
      for (const touches of tables) touches.end();
    }
  }
}

interface Touch {
  applicationId: number;
  id: number;
  at: Date;
}

/** Times that the rows of a table may not contain yet. */
class Touches {
  readonly #table: Prisma.Sql;
  readonly #column: Prisma.Sql;
  #waiting = new Map<string, Touch>();
  #storing = new Map<string, Touch>();

  constructor(
    table: 'sessions' | 'users' | 'api_keys',
    column: 'updated_at' | 'last_request_at' | 'last_seen_at' | 'last_used_at',
  ) {
    this.#table = Prisma.raw(table);
    this.#column = Prisma.raw(column);
  }

  latest(row: Omit<Touch, 'at'>): Date | undefined {
    const key = keyOf(row);
    return (this.#waiting.get(key) ?? this.#storing.get(key))?.at;
  }

  add(touch: Touch): void {
    this.#waiting.set(keyOf(touch), touch);
  }

  begin(): void {
    this.#storing = this.#waiting;
    this.#waiting = new Map();
  }

  /** @returns false if rows were locked, so that their times wait again */
  async store(): Promise<boolean> {
    if (this.#storing.size === 0) return true;
    const locked = await byShard([...this.#storing.values()], (touches) => this.#update(touches));
    for (const key of locked.flat().map(keyOf)) {
      const touch = this.#storing.get(key);
      if (touch && !this.#waiting.has(key)) this.#waiting.set(key, touch);
    }
    return locked.flat().length === 0;
  }

  end(): void {
    this.#storing = new Map();
  }

  // In key order, so that processes cannot deadlock. Skips locked rows, so that one of them does not delay all others.
  #update(touches: Touch[]): Promise<Omit<Touch, 'at'>[]> {
    return query`
      WITH input AS MATERIALIZED (
        SELECT r.application_id, r.id, t.at
        FROM unnest(${touches.map((touch) => touch.applicationId)}::int[], ${touches.map((touch) => touch.id)}::int[],
          ${touches.map((touch) => touch.at)}::timestamptz[]) AS t (application_id, id, at)
        JOIN ${this.#table} r USING (application_id, id)
      ), touched AS MATERIALIZED (
        SELECT r.application_id, r.id FROM ${this.#table} r
        WHERE (r.application_id, r.id) IN (SELECT application_id, id FROM input)
        ORDER BY r.application_id, r.id FOR NO KEY UPDATE SKIP LOCKED
      ), stored AS (
        UPDATE ${this.#table} r SET ${this.#column} = greatest(r.${this.#column}, g.at)
        FROM input g JOIN touched USING (application_id, id)
        WHERE r.application_id = g.application_id AND r.id = g.id
      )
      SELECT ${KEY} FROM input
      WHERE (application_id, id) NOT IN (SELECT application_id, id FROM touched)`;
  }
}

const KEY = columns({ applicationId: ['int', 'input.application_id'], id: ['int', 'input.id'] });

function keyOf({ applicationId, id }: Omit<Touch, 'at'>): string {
  return `${applicationId}:${id}`;
}
