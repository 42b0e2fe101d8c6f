import type pg from 'pg';
import PgBoss from 'pg-boss';
import type { Logger } from 'pino';
import type { Transaction } from './client.ts';
import { createPool } from './pool.ts';
import { BACKGROUND, transact } from './transact.ts';

export interface QueuedFor {
  applicationId: number;
  userId?: number;
}

export interface QueuedJob<Data extends QueuedFor = QueuedFor> {
  id: string;
  data: Data;
}

export interface QueueSettings {
  expireInSeconds: number;
}

const CONNECTIONS = 2;

/** pg-boss retains finished jobs; nothing reads them. */
const KEEP_DONE_SECONDS = 60;

const START_LOCK = 7_270_103;

const RETRIES = 1_000_000;
const RETRY_SECONDS = 1;

const APPLICATION = `((data ->> 'applicationId')::int)`;
const USER = `(coalesce((data ->> 'userId')::int, 0))`;
const WAITING = `name = $1 AND state < 'active'`;

const TURNS_INDEX = `
  CREATE INDEX job_turns ON pgboss.job (name, ${APPLICATION}, ${USER}, created_on, id)
  WHERE state < 'active'`;

const FIND_TURNS_INDEX = `SELECT 1 WHERE to_regclass('pgboss.job_turns') IS NOT NULL`;

const next = (after: string) => `
  (SELECT ${APPLICATION} FROM pgboss.job WHERE ${WAITING} AND ${APPLICATION} > ${after} AND start_after < now()
   ORDER BY ${APPLICATION} LIMIT 1)`;

/** The first application after $2 that has work and is not in $3; one index step per application. */
const NEXT_APPLICATION = `
  WITH RECURSIVE found AS (
    SELECT ${next('$2')} AS id
    UNION ALL
    SELECT ${next('f.id')} FROM found f WHERE f.id = ANY($3::int[])
  ) SELECT id FROM found WHERE id <> ALL($3::int[])`;

const first = (users: string) => `
  (SELECT id FROM pgboss.job WHERE ${WAITING} AND ${APPLICATION} = $2 AND ${USER} ${users} AND start_after < now()
   ORDER BY ${USER}, created_on, id LIMIT 1 FOR UPDATE SKIP LOCKED)`;

/** The oldest job of the next user after $3, or else of the first user. */
const TAKE = `
  UPDATE pgboss.job SET state = 'active', started_on = now(),
    retry_count = CASE WHEN started_on IS NOT NULL THEN retry_count + 1 ELSE retry_count END
  WHERE name = $1 AND id = (SELECT coalesce(${first('> $3')}, ${first('<= $3')}))
  RETURNING id, data`;

const MAX_TRIES = 5;

const MAX_TURNS = 1_000;

function rememberTurn(users: Map<number, number>, { applicationId, userId = 0 }: QueuedFor): void {
  users.delete(applicationId);
  users.set(applicationId, userId);
  if (users.size > MAX_TURNS) users.delete(users.keys().next().value!);
}

/**
 * A work queue on PostgreSQL. A job is stored in the transaction of its subject, runs in one process at a time, and
 * returns to the queue if that process dies. pg-boss's own timers are off; callers decide when to take jobs.
 */
export class WorkQueue {
  readonly #boss: PgBoss;
  readonly #pool: pg.Pool;
  #isStopping = false;
  readonly #queues: Record<string, QueueSettings>;
  readonly #turns: Record<string, { applicationId: number; users: Map<number, number> }> = {};

  constructor(database: pg.ClientConfig, queues: Record<string, QueueSettings>, log: Logger) {
    this.#pool = createPool({ ...database, max: CONNECTIONS, application_name: 'pgboss' });
    this.#boss = new PgBoss({
      db: { executeSql: (text, values) => this.#pool.query(text, values) },
      supervise: false,
      schedule: false,
      archiveCompletedAfterSeconds: KEEP_DONE_SECONDS,
      deleteAfterSeconds: KEEP_DONE_SECONDS,
    });
    this.#queues = queues;
    const warn = (error: Error) => {
      // The embedded server may stop before the last connection has ended.
      if (this.#isStopping) return;
      log.warn(
        { err: error },
        'work queue: database connection lost, reconnecting; check that PostgreSQL is reachable',
      );
    };
    this.#pool.on('error', warn);
    this.#boss.on('error', warn);
  }

  /** Processes take turns, because concurrent creation of queues would deadlock. */
  async start(): Promise<void> {
    await transact(BACKGROUND, async (transaction) => {
      await transaction.$executeRaw`SELECT pg_advisory_xact_lock(${START_LOCK})`;
      await this.#makeQueues();
      const { rows } = await this.#execute<object>(FIND_TURNS_INDEX, []);
      if (rows.length === 0) await this.#execute(TURNS_INDEX, []);
    });
  }

  async #makeQueues(): Promise<void> {
    await this.#boss.start();
    for (const [name, { expireInSeconds }] of Object.entries(this.#queues)) {
      const options = { name, expireInSeconds, retryLimit: RETRIES, retryDelay: RETRY_SECONDS };
      await this.#boss.createQueue(name, options);
      await this.#boss.updateQueue(name, options);
    }
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#boss.stop({ graceful: false, wait: true });
    await this.#pool.end();
  }

  /** pg-boss itself would take the oldest job, so that one application could block the others. @param busy to skip */
  async take<Data extends QueuedFor>(name: string, busy: number[] = []): Promise<QueuedJob<Data> | undefined> {
    const turn = this.#turns[name] ?? { applicationId: 0, users: new Map<number, number>() };
    this.#turns[name] = turn;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const applicationId = await this.#nextApplication(name, turn.applicationId, busy);
      if (applicationId === null) return undefined;
      turn.applicationId = applicationId;
      const after = turn.users.get(applicationId) ?? -1;
      const { rows } = await this.#execute<QueuedJob<Data>>(TAKE, [name, applicationId, after]);
      const [job] = rows;
      if (!job) continue;
      rememberTurn(turn.users, job.data);
      return job;
    }
    return undefined;
  }

  async #nextApplication(name: string, after: number, busy: number[]): Promise<number | null> {
    for (const start of [after, -1]) {
      const { rows } = await this.#execute<{ id: number | null }>(NEXT_APPLICATION, [name, start, busy]);
      if (rows[0]?.id != null) return rows[0].id;
    }
    return null;
  }

  #execute<Row extends object>(text: string, values: unknown[]): Promise<{ rows: Row[] }> {
    return this.#pool.query<Row>(text, values);
  }

  async done(name: string, id: string): Promise<void> {
    await this.#boss.complete(name, id);
  }

  async again(name: string, id: string): Promise<void> {
    await this.#execute(`UPDATE pgboss.job SET state = 'retry' WHERE name = $1 AND id = $2 AND state = 'active'`, [
      name,
      id,
    ]);
  }

  async failed(name: string, id: string): Promise<void> {
    await this.#boss.fail(name, id);
  }

  async maintain(): Promise<void> {
    await this.#boss.maintain();
  }

  async add(transaction: Transaction, name: string, jobs: QueuedFor[]): Promise<void> {
    if (jobs.length === 0) return;
    const db = {
      executeSql: async (text: string, values: unknown[]) => ({
        rows: await transaction.$queryRawUnsafe<unknown[]>(text, ...values),
      }),
    };
    await this.#boss.insert(
      jobs.map((data) => ({ name, data })),
      { db },
    );
  }
}
