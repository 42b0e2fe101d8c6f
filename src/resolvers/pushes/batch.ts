import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { db } from '../../db/client.ts';
import type { Push, PushGateway, PushOutcome } from '../../gateways/push/gateway.ts';
import type { PushSend } from '../../generated/prisma/client.ts';
import { MINUTE } from '../../lib/time.ts';
import { providerOfChannel } from './channels.ts';
import type { Contents } from './contents.ts';
import type { PushContext } from './context.ts';
import type { Device } from './devices.ts';
import { finishSend } from './finish.ts';
import { DeliveryLog } from './log.ts';
import { PUSH_LIFETIME_MS } from './retries.ts';

/** Longer than any gateway timeout, so that a device is retried only if its process stopped. */
const LEASE_MS = MINUTE;

interface Batch {
  send: PushSend;
  contents: Contents;
  /** 0 for an API key, and for messages. */
  creatorId: number;
}

/** `close` hands open requests over to a later retry. */
export class DeliveryBatch {
  readonly #batch: Batch;
  readonly #context: PushContext;
  readonly #log: DeliveryLog;
  readonly #open = new Set<Device>();
  #left = 0;
  #isClosed = false;
  #hasServed = false;
  #writing: Promise<void> | undefined;

  constructor(batch: Batch, context: PushContext) {
    this.#batch = batch;
    this.#context = context;
    this.#log = new DeliveryLog(batch.send, context);
  }

  get hasServed(): boolean {
    return this.#hasServed;
  }

  /** @param gateway or an outcome to log for all devices */
  async serve(devices: Device[], gateway: PushGateway | PushOutcome): Promise<void> {
    this.#left += devices.length;
    const waiting = devices.values();
    const worker = async () => {
      for (const device of waiting) {
        if (this.#isClosed) return;
        await this.#serveOne(device, gateway);
      }
    };
    const workers = 'send' in gateway ? Math.min(gateway.concurrency, devices.length) : 1;
    await Promise.all(Array.from({ length: workers }, worker));
  }

  async close(): Promise<number> {
    this.#isClosed = true;
    const left = this.#left;
    const open = [...this.#open].map(({ subscriptionId }) => subscriptionId);
    await this.#log.flush();
    if (open.length > 0) await this.#postpone(open);
    return left;
  }

  async #serveOne(device: Device, gateway: PushGateway | PushOutcome): Promise<void> {
    const push = this.#pushTo(device);
    const known = 'kind' in push ? push : 'kind' in gateway ? gateway : undefined;
    if (known) {
      this.#left--;
      return this.#record(device, known);
    }
    const { send, creatorId } = this.#batch;
    const { traffic } = this.#context.pushGateways;
    const owner = { applicationId: send.applicationId, creatorId, userId: device.userId };
    const outcome = await traffic.send(gateway as PushGateway, push as Push, owner, () => this.#begin(device));
    if (outcome.kind === 'not begun') return;
    if (!this.#open.delete(device)) this.#left--;
    await this.#record(device, outcome);
  }

  #begin(device: Device): boolean {
    if (this.#isClosed) return false;
    this.#left--;
    this.#open.add(device);
    return true;
  }

  async #record(device: Device, outcome: Parameters<DeliveryLog['record']>[1]): Promise<void> {
    this.#hasServed = true;
    this.#context.observer.pushAnswered(device.channel, outcome.kind);
    await this.#log.record(device, outcome);
    if (this.#isClosed) await this.#writeLate();
  }

  #writeLate(): Promise<void> {
    this.#writing ??= setImmediate().then(async () => {
      this.#writing = undefined;
      await this.#log.flush();
      const { applicationId, id } = this.#batch.send;
      await finishSend({ applicationId, sendId: id }, this.#context);
    });
    return this.#writing;
  }

  async #postpone(ids: number[]): Promise<void> {
    const { applicationId, id } = this.#batch.send;
    const retryAt = new Date(this.#context.now().getTime() + LEASE_MS);
    await db.$executeRaw`
      UPDATE push_deliveries SET retry_at = ${retryAt}
      WHERE application_id = ${applicationId} AND send_id = ${id} AND subscription_id = ANY(${ids}::int[])
        AND status = 'pending' AND retry_at IS NULL`;
  }

  #pushTo(device: Device): Push | PushOutcome {
    const { send, contents } = this.#batch;
    const { channel, userId } = device;
    const expiresAt = new Date(send.createdAt.getTime() + PUSH_LIFETIME_MS);
    const content = contents(userId);
    const address = providerOfChannel(channel).address === 'email' ? device.email : device.sequence;
    if (send.finishedAt) return { kind: 'refused', answer: 'cancelled' };
    if (!device.isSubscribed) return { kind: 'refused', answer: 'the subscription was deleted' };
    if (!content) return { kind: 'refused', answer: 'nothing left to send' };
    if (device.isOutdated) return { kind: 'refused', answer: 'replaced by a later message' };
    if (!address) return { kind: 'refused', answer: 'the user has no address' };
    if (expiresAt <= this.#context.now()) return { kind: 'refused', answer: 'expired' };
    return {
      id: idOf(send, device),
      channel,
      address,
      keys: device.keys,
      bundleIdentifier: device.bundleIdentifier,
      content,
      collapseKey: send.dialogId ?? send.id,
      isReplaced: send.dialogId !== null,
      expiresAt,
    };
  }
}

/** A UUID that is the same for every attempt, so that providers can deduplicate. */
function idOf({ applicationId, id }: PushSend, { subscriptionId }: Device): string {
  const hash = createHash('sha256').update(`${applicationId}/${id}/${subscriptionId}`).digest('hex');
  const variant = ((Number.parseInt(hash[16]!, 16) & 3) | 8).toString(16);
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-${variant}${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}
