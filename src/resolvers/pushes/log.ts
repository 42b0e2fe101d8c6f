import { db } from '../../db/client.ts';
import type { PushOutcome } from '../../gateways/push/gateway.ts';
import type { HeldBack } from '../../gateways/push/traffic.ts';
import type { PushSend } from '../../generated/prisma/client.ts';
import { hashSecret } from '../../lib/tokens.ts';
import type { PushContext } from './context.ts';
import { nextAttempt, nextLook, PUSH_LIFETIME_MS } from './retries.ts';

interface LoggedDevice {
  subscriptionId: number;
  attempts: number;
  sequence: string | null;
}

interface Entry {
  subscriptionId: number;
  status: 'pending' | 'delivered' | 'failed';
  answer: string;
  /** Null: no request was sent. */
  answeredAt: Date | null;
  retryAt: Date | null;
}

/** Outcomes per write; a crash repeats about as many pushes. */
const BATCH = 50;

const MAX_SUMMARY_CHARACTERS = 300;

export class DeliveryLog {
  readonly #send: PushSend;
  readonly #context: PushContext;
  #entries: Entry[] = [];

  constructor(send: PushSend, context: PushContext) {
    this.#send = send;
    this.#context = context;
  }

  async record(device: LoggedDevice, outcome: PushOutcome | HeldBack): Promise<void> {
    if (outcome.kind === 'gone') await this.#unsubscribe(device, outcome.since);
    this.#entries.push(this.#entryOf(device, outcome));
    if (this.#entries.length >= BATCH) await this.flush();
  }

  /** One statement, so that the counts of the send always match its devices. */
  async flush(): Promise<void> {
    const entries = this.#entries;
    if (entries.length === 0) return;
    this.#entries = [];
    const { applicationId, id } = this.#send;
    await db.$executeRaw`
      WITH notified AS (
        SELECT * FROM json_to_recordset(${JSON.stringify(entries)}::json)
          AS t ("subscriptionId" int, status text, answer text, "answeredAt" timestamptz, "retryAt" timestamptz)
      ), logged AS (
        UPDATE push_deliveries d SET status = t.status::delivery_status, answer = t.answer, retry_at = t."retryAt",
          attempts = d.attempts + (t."answeredAt" IS NOT NULL)::int, answered_at = coalesce(t."answeredAt", d.answered_at)
        FROM notified t
        WHERE d.application_id = ${applicationId} AND d.send_id = ${id} AND d.subscription_id = t."subscriptionId"
          AND d.status = 'pending'
        RETURNING d.status
      ), counted AS (
        SELECT count(*) FILTER (WHERE status = 'delivered')::int AS delivered,
          count(*) FILTER (WHERE status = 'failed')::int AS failed
        FROM logged
      ), figures AS (
        INSERT INTO activity_hours AS h (application_id, hour, pushes_delivered, pushes_failed)
        SELECT ${applicationId}::int, date_trunc('hour', ${this.#context.now()}::timestamptz, 'UTC'), delivered, failed
        FROM counted WHERE delivered + failed > 0
        ON CONFLICT (application_id, hour) DO UPDATE SET pushes_delivered = h.pushes_delivered + excluded.pushes_delivered,
          pushes_failed = h.pushes_failed + excluded.pushes_failed
      )
      UPDATE push_sends s SET delivered = s.delivered + c.delivered, failed = s.failed + c.failed
      FROM counted c WHERE s.application_id = ${applicationId} AND s.id = ${id} AND c.delivered + c.failed > 0`;
  }

  #entryOf({ subscriptionId, attempts }: LoggedDevice, outcome: PushOutcome | HeldBack): Entry {
    if (outcome.kind === 'held back') {
      const { answer, waitMs } = outcome;
      const retryAt = nextLook({ createdAt: this.#send.createdAt, waitMs }, this.#context.now());
      return { subscriptionId, status: 'pending', answer, answeredAt: null, retryAt };
    }
    const answeredAt = this.#context.now();
    const answer = outcome.answer.slice(0, MAX_SUMMARY_CHARACTERS);
    const entry = { subscriptionId, answer, answeredAt, retryAt: null };
    if (outcome.kind === 'delivered') return { ...entry, status: 'delivered' };
    if (outcome.kind !== 'later') return { ...entry, status: 'failed' };
    const expiresAt = new Date(this.#send.createdAt.getTime() + PUSH_LIFETIME_MS);
    const { retryAfter } = outcome;
    const retryAt = nextAttempt({ attempts: attempts + 1, retryAfter, expiresAt }, answeredAt);
    return retryAt ? { ...entry, status: 'pending', retryAt } : { ...entry, status: 'failed' };
  }

  /** Keeps a subscription that was renewed since, or has a new token. */
  async #unsubscribe({ subscriptionId, sequence }: LoggedDevice, since: Date | undefined): Promise<void> {
    if (sequence === null) return;
    await db.pushSubscription.deleteMany({
      where: {
        applicationId: this.#send.applicationId,
        id: subscriptionId,
        sequenceHash: hashSecret(sequence),
        updatedAt: since && { lte: since },
      },
    });
  }
}
