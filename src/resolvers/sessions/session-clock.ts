import type { Logger } from 'pino';
import { db } from '../../db/client.ts';
import { MINUTE, SECOND } from '../../lib/time.ts';
import { detached } from '../../observe/tracing.ts';

export interface StoredSession {
  applicationId: number;
  id: number;
  userId: number | null;
  generation: number;
  /** Its application's own lifetime; null is the service's. */
  sessionMinutes: number | null;
  /** Of its application's classes. */
  catalogueVersion: number;
  /** When it became its user's. */
  signedInAt: Date;
  /** The latest request that is stored; `SessionClock` knows later ones. */
  updatedAt: Date;
}

type Lifetime = Pick<StoredSession, 'sessionMinutes'>;
type SessionKey = Pick<StoredSession, 'applicationId' | 'id'>;
type UserKey = { applicationId: number; userId: number };
type StoredUser = { applicationId: number; id: number; lastRequestAt: Date | null };

/** How long a request may wait until its moment is stored. */
const FLUSH_AFTER = SECOND;

/**
 * The sliding lifetime of sessions. Requests are far more frequent than it is long, so their moments are gathered
 * and stored once a second in one statement; until then this process knows them, so that its answers are exact.
 */
export class SessionClock {
  readonly #sessionMinutes: number;
  readonly #log: Logger;
  #sessions = new Map<string, SessionKey & { at: Date }>();
  #users = new Map<string, UserKey & { at: Date }>();
  /** What is being stored now, and so not yet in every row that is read. */
  #flushing = new Map<string, SessionKey & { at: Date }>();
  #flushingUsers = new Map<string, UserKey & { at: Date }>();
  #timer: NodeJS.Timeout | undefined;
  #flush = Promise.resolve();

  constructor({ sessionMinutes, log }: { sessionMinutes: number; log: Logger }) {
    this.#sessionMinutes = sessionMinutes;
    this.#log = log;
  }

  /** When a session ends whose latest request came at this moment. */
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

  /** The latest request made as that user; null before the first. */
  latestRequestOf({ applicationId, id, lastRequestAt }: StoredUser): Date | null {
    const key = userKey({ applicationId, userId: id });
    const at = this.#users.get(key)?.at ?? this.#flushingUsers.get(key)?.at;
    return at && (lastRequestAt === null || at > lastRequestAt) ? at : lastRequestAt;
  }

  /** Counts a request of the session, and of its user. */
  touch({ applicationId, id, userId }: StoredSession, at: Date): void {
    this.#sessions.set(sessionKey({ applicationId, id }), { applicationId, id, at });
    if (userId !== null) this.touchUser({ applicationId, userId }, at);
    else this.#schedule();
  }

  touchUser({ applicationId, userId }: UserKey, at: Date): void {
    this.#users.set(userKey({ applicationId, userId }), { applicationId, userId, at });
    this.#schedule();
  }

  /** Stores what is known; called at the latest when the process stops. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#flush = this.#flush.then(() => this.#store());
    return this.#flush;
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => void detached(() => this.flush()), FLUSH_AFTER).unref();
  }

  async #store(): Promise<void> {
    const sessions = [...this.#sessions.values()];
    const users = [...this.#users.values()];
    this.#flushing = this.#sessions;
    this.#flushingUsers = this.#users;
    this.#sessions = new Map();
    this.#users = new Map();
    try {
      if (sessions.length > 0) await storeSessions(sessions);
      if (users.length > 0) await storeUsers(users);
    } catch (error) {
      // The moments are lost, the sessions live: the next request brings a later one.
      this.#log.warn({ err: error }, 'the moments of the latest requests could not be stored');
    } finally {
      this.#flushing = new Map();
      this.#flushingUsers = new Map();
    }
  }
}

// Rows are locked in the order of their keys, so that two processes never wait for each other in a circle.
function storeSessions(touches: (SessionKey & { at: Date })[]) {
  return db.$executeRaw`
    WITH touched AS (
      SELECT s.application_id, s.id, t.at
      FROM unnest(${touches.map((touch) => touch.applicationId)}::int[], ${touches.map((touch) => touch.id)}::int[],
        ${touches.map((touch) => touch.at)}::timestamptz[]) AS t (application_id, id, at)
      JOIN sessions s USING (application_id, id)
      ORDER BY s.application_id, s.id FOR NO KEY UPDATE OF s)
    UPDATE sessions s SET updated_at = greatest(s.updated_at, touched.at)
    FROM touched WHERE s.application_id = touched.application_id AND s.id = touched.id`;
}

function storeUsers(touches: (UserKey & { at: Date })[]) {
  return db.$executeRaw`
    WITH touched AS (
      SELECT u.application_id, u.id, t.at
      FROM unnest(${touches.map((touch) => touch.applicationId)}::int[], ${touches.map((touch) => touch.userId)}::int[],
        ${touches.map((touch) => touch.at)}::timestamptz[]) AS t (application_id, id, at)
      JOIN users u USING (application_id, id)
      ORDER BY u.application_id, u.id FOR NO KEY UPDATE OF u)
    UPDATE users u SET last_request_at = greatest(u.last_request_at, touched.at)
    FROM touched WHERE u.application_id = touched.application_id AND u.id = touched.id`;
}

function sessionKey({ applicationId, id }: SessionKey): string {
  return `${applicationId}:${id}`;
}

function userKey({ applicationId, userId }: UserKey): string {
  return `${applicationId}:${userId}`;
}
