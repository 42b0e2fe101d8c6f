import type { ClientConfig } from 'pg';
import type { Services } from '../context.ts';
import { inThisShard } from '../db/shards.ts';
import { WorkQueue } from '../db/work-queue.ts';
import { SECOND } from '../lib/time.ts';
import { detached } from '../platform/observability/tracing.ts';
import { startDueEvents } from '../resolvers/push-events/due.ts';
import { DELIVER, type DeliverJob, type PushContext, SPREAD, type SpreadJob } from '../resolvers/pushes/context.ts';
import { deliverPushes } from '../resolvers/pushes/deliver.ts';
import { findDue, startDueRetries } from '../resolvers/pushes/due.ts';
import { MessagePushes } from '../resolvers/pushes/messages.ts';
import { spreadSend } from '../resolvers/pushes/spread.ts';
import { JobSlots } from './job-slots.ts';

/** Due times pass without a signal, and wake-up signals may be lost, so due work is polled at this interval. */
const POLL_INTERVAL_MS = SECOND;

const MAINTENANCE_INTERVAL_MS = 5 * SECOND;

const GATHER_MS = 250;

/** Normally a job takes about one second. */
const EXPIRE_SECONDS = 30;

const SHUTDOWN_TIMEOUT_MS = 8 * SECOND;

const DELIVER_SLOTS = { slots: 8, slotsPerApplication: 4 };
const SPREAD_SLOTS = { slots: 2, slotsPerApplication: 1 };

export class PushJobs {
  readonly #context: PushContext;
  readonly #queue: WorkQueue;
  readonly #messages: MessagePushes;
  readonly #stopping = new AbortController();
  readonly #loops: Loop[];
  readonly #slots: { settled(): Promise<void> }[];
  readonly #open = new Set<Promise<void>>();
  readonly #outbox: Services['outbox'];
  readonly #timers: NodeJS.Timeout[] = [];
  #gathering: NodeJS.Timeout | undefined;
  #maintainedAt = 0;

  constructor(services: Services, database: ClientConfig) {
    const { log } = services;
    this.#queue = new WorkQueue(database, { [SPREAD]: EXPIRES, [DELIVER]: EXPIRES }, log);
    this.#context = { ...services, queue: this.#queue };
    this.#outbox = services.outbox;
    this.#messages = new MessagePushes(this.#context);
    const onError = (error: unknown) => log.warn({ err: error }, 'could not process pushes; retrying');
    const onSpread = async (job: SpreadJob) => {
      await spreadSend(job, this.#context);
      return 'done' as const;
    };
    const spread = new JobSlots<SpreadJob>(this.#queue, {
      name: SPREAD,
      ...SPREAD_SLOTS,
      work: onSpread,
      onError,
      onFree: () => spreading.wake(),
    });
    const deliver = new JobSlots<DeliverJob>(this.#queue, {
      name: DELIVER,
      ...DELIVER_SLOTS,
      work: (job) => this.#deliver(job),
      onError,
      onFree: () => delivering.wake(),
    });
    const spreading = new Loop(() => spread.fill(), onError);
    const delivering = new Loop(() => deliver.fill(), onError);
    this.#slots = [spread, deliver];
    this.#loops = [new Loop(() => this.#startDue(), onError), spreading, delivering];
  }

  async start(): Promise<void> {
    await this.#queue.start();
    const finder = new Loop(
      () => this.#findMessages(),
      (error) => this.#context.log.warn({ err: error }, 'could not read the messages to push; retrying'),
    );
    const look = () => {
      for (const one of this.#loops) one.wake();
    };
    this.#context.pushNotifier.onWake(look);
    this.#outbox.onWake(() => {
      this.#gathering ??= setTimeout(() => {
        this.#gathering = undefined;
        finder.wake();
      }, GATHER_MS).unref();
    });
    this.#timers.push(
      setInterval(() => {
        look();
        finder.wake();
      }, POLL_INTERVAL_MS).unref(),
    );
    this.#loops.push(finder);
    look();
    finder.wake();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const timer of this.#timers) clearInterval(timer);
    clearTimeout(this.#gathering);
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, SHUTDOWN_TIMEOUT_MS);
    });
    await Promise.race([this.#finish(), timeout]);
    clearTimeout(timer);
    await this.#messages.release().catch(() => {});
    await this.#queue.stop();
  }

  async #finish(): Promise<void> {
    await Promise.all(this.#loops.map((loop) => loop.stop()));
    await Promise.all(this.#slots.map((slots) => slots.settled()));
    await Promise.all(this.#open);
  }

  async #startDue(): Promise<boolean> {
    if (performance.now() - this.#maintainedAt > MAINTENANCE_INTERVAL_MS) {
      this.#maintainedAt = performance.now();
      await this.#queue.maintain();
    }
    const { hasEvents, hasRetries } = await findDue(this.#context);
    const events = hasEvents ? await startDueEvents(this.#context) : 0;
    const retries = hasRetries ? await startDueRetries(this.#context) : 0;
    if (events + retries > 0) this.#context.pushNotifier.wake();
    return events + retries > 0;
  }

  async #deliver(job: DeliverJob): Promise<'done' | 'again' | 'retry'> {
    const { state, open } = await deliverPushes(job, this.#context, this.#stopping.signal);
    this.#open.add(open);
    void open.finally(() => this.#open.delete(open));
    return state === 'done' ? 'done' : state === 'more' ? 'again' : 'retry';
  }

  async #findMessages(): Promise<boolean> {
    const progress = await this.#messages.find();
    return progress === 'more';
  }
}

const EXPIRES = { expireInSeconds: EXPIRE_SECONDS };

class Loop {
  readonly #turn: () => Promise<boolean>;
  readonly #onError: (error: unknown) => void;
  #isWoken = false;
  #running: Promise<void> | undefined;
  #isStopped = false;
  #isFailing = false;

  /** @param onError for the first of consecutive failures only */
  constructor(turn: () => Promise<boolean>, onError: (error: unknown) => void) {
    this.#turn = turn;
    this.#onError = onError;
  }

  readonly wake = inThisShard((): void => {
    this.#isWoken = true;
    this.#running ??= detached(() => this.#run()).finally(() => {
      this.#running = undefined;
    });
  });

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#isWoken && !this.#isStopped) {
      this.#isWoken = false;
      try {
        while (!this.#isStopped && (await this.#turn()));
        this.#isFailing = false;
      } catch (error) {
        if (!this.#isStopped && !this.#isFailing) this.#onError(error);
        this.#isFailing = true;
      }
    }
  }
}
