import type { Logger } from 'pino';
import type { SessionClock, StoredSession } from '../../context.ts';
import { columns, columnsOf } from '../../db/columns.ts';
import { query } from '../../db/query.ts';
import { MINUTE, SECOND } from '../../lib/time.ts';
import { detached } from '../../server/observability/tracing.ts';

type Lifetime = Pick<StoredSession, 'sessionMinutes'>;
type SessionKey = Pick<StoredSession, 'applicationId' | 'id'>;
type UserKey = { applicationId: number; userId: number };
type StoredUser = { applicationId: number; id: number; lastRequestAt: Date | null };

const SESSION = columnsOf('Session', 'input', ['applicationId', 'id']);
const USER = columns({ applicationId: ['int', 'input.application_id'], userId: ['int', 'input.id'] });

const FLUSH_DELAY_MS = SECOND;

/** Stores request times once per second in one statement; until then reads them from memory, so that they are exact. */
export class BatchedSessionClock implements SessionClock {
  readonly #sessionMinutes: number;
  readonly #log: Logger;
  #sessions = new Map<string, SessionKey & { at: Date }>();
  #users = new Map<string, UserKey & { at: Date }>();
  /** In flight, so that rows may not contain them yet. */
  #flushing = new Map<string, SessionKey & { at: Date }>();
  #flushingUsers = new Map<string, UserKey & { at: Date }>();
  #timer: NodeJS.Timeout | undefined;
  #flush = Promise.resolve();

  constructor({ sessionMinutes, log }: { sessionMinutes: number; log: Logger }) {
    this.#sessionMinutes = sessionMinutes;
    this.#log = log;
  }

  expiry(latestRequest: Date, { sessionMinutes }: Lifetime): Date {
    return new Date(latestRequest.getTime() + (sessionMinutes ?? this.#sessionMinutes) * MINUTE);
  }

  isExpired(session: StoredSession, now: Date): boolean {
    return this.expiry(this.latestRequest(session), session) <= now;
  }

  latestRequest(session: SessionKey & Pick<StoredSession, 'updatedAt'>): Date {
    const key = sessionKey(session);
    const at = this.#sessions.get(key)?.at ?? this.#flushing.get(key)?.at;
    return at && at > session.updatedAt ? at : session.updatedAt;
  }

  latestRequestOf({ applicationId, id, lastRequestAt }: StoredUser): Date | null {
    const key = userKey({ applicationId, userId: id });
    const at = this.#users.get(key)?.at ?? this.#flushingUsers.get(key)?.at;
    return at && (lastRequestAt === null || at > lastRequestAt) ? at : lastRequestAt;
  }

  touch({ applicationId, id, userId }: StoredSession, at: Date): void {
    this.#sessions.set(sessionKey({ applicationId, id }), { applicationId, id, at });
    if (userId !== null) this.touchUser({ applicationId, userId }, at);
    else this.#schedule();
  }

  touchUser({ applicationId, userId }: UserKey, at: Date): void {
    this.#users.set(userKey({ applicationId, userId }), { applicationId, userId, at });
    this.#schedule();
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
    const sessions = [...this.#sessions.values()];
    const users = [...this.#users.values()];
    this.#flushing = this.#sessions;
    this.#flushingUsers = this.#users;
    this.#sessions = new Map();
    this.#users = new Map();
    try {
      if (sessions.length > 0) {
        putBack(this.#sessions, this.#flushing, (await storeSessions(sessions)).map(sessionKey));
      }
      if (users.length > 0) putBack(this.#users, this.#flushingUsers, (await storeUsers(users)).map(userKey));
      if (this.#sessions.size + this.#users.size > 0) this.#schedule();
    } catch (error) {
      // Sessions stay valid: only these times are lost, and the next request stores a later one.
      this.#log.warn(
        { err: error },
        'could not store the times of the latest requests; the next requests store later ones',
      );
    } finally {
      this.#flushing = new Map();
      this.#flushingUsers = new Map();
    }
  }
}

// In key order, so that processes cannot deadlock. Skips locked rows, so that one of them does not delay all others.
function storeSessions(touches: (SessionKey & { at: Date })[]): Promise<SessionKey[]> {
  return query`
    WITH input AS MATERIALIZED (
      SELECT s.application_id, s.id, t.at
      FROM unnest(${touches.map((touch) => touch.applicationId)}::int[], ${touches.map((touch) => touch.id)}::int[],
        ${touches.map((touch) => touch.at)}::timestamptz[]) AS t (application_id, id, at)
      JOIN sessions s USING (application_id, id)
    ), touched AS MATERIALIZED (
      SELECT s.application_id, s.id FROM sessions s
      WHERE (s.application_id, s.id) IN (SELECT application_id, id FROM input)
      ORDER BY s.application_id, s.id FOR NO KEY UPDATE SKIP LOCKED
    ), stored AS (
      UPDATE sessions s SET updated_at = greatest(s.updated_at, g.at)
      FROM input g JOIN touched USING (application_id, id)
      WHERE s.application_id = g.application_id AND s.id = g.id
    )
    SELECT ${SESSION} FROM input
    WHERE (application_id, id) NOT IN (SELECT application_id, id FROM touched)`;
}

function storeUsers(touches: (UserKey & { at: Date })[]): Promise<UserKey[]> {
  return query`
    WITH input AS MATERIALIZED (
      SELECT u.application_id, u.id, t.at
      FROM unnest(${touches.map((touch) => touch.applicationId)}::int[], ${touches.map((touch) => touch.userId)}::int[],
        ${touches.map((touch) => touch.at)}::timestamptz[]) AS t (application_id, id, at)
      JOIN users u USING (application_id, id)
    ), touched AS MATERIALIZED (
      SELECT u.application_id, u.id FROM users u
      WHERE (u.application_id, u.id) IN (SELECT application_id, id FROM input)
      ORDER BY u.application_id, u.id FOR NO KEY UPDATE SKIP LOCKED
    ), stored AS (
      UPDATE users u SET last_request_at = greatest(u.last_request_at, g.at)
      FROM input g JOIN touched USING (application_id, id)
      WHERE u.application_id = g.application_id AND u.id = g.id
    )
    SELECT ${USER} FROM input
    WHERE (application_id, id) NOT IN (SELECT application_id, id FROM touched)`;
}

function putBack<Touch>(touches: Map<string, Touch>, from: Map<string, Touch>, keys: string[]): void {
  for (const key of keys) {
    const touch = from.get(key);
    if (touch && !touches.has(key)) touches.set(key, touch);
  }
}

function sessionKey({ applicationId, id }: SessionKey): string {
  return `${applicationId}:${id}`;
}

function userKey({ applicationId, userId }: UserKey): string {
  return `${applicationId}:${userId}`;
}
