import { randomUUID } from 'node:crypto';
import type { ClientConfig } from 'pg';
import {
  claimJob,
  endJob,
  interruptLapsed,
  type JobProgress,
  type Outcome,
  type OwnedJob,
  storeProgress,
} from '../administration/jobs/lease.ts';
import type { JobResult } from '../administration/jobs/rows.ts';
import type { JobOrder, JobRunner, Services } from '../context.ts';
import { isDatabaseUnavailable } from '../db/failures.ts';
import { fromReachable } from '../db/shards.ts';
import { ServiceUnavailableError } from '../lib/errors.ts';
import { DAY, SECOND } from '../lib/time.ts';
import { ArchiveError } from '../operator/archive/archive-error.ts';
import { detached, traced } from '../platform/observability/tracing.ts';
import { removeReleased } from '../resolvers/files/staged.ts';
import { ArchiveParts, LostJobError } from './archive-parts.ts';
import { checkApplication, exportToParts } from './job-work.ts';

/** Between two changes of the stored progress. */
const TICK_MS = SECOND;
const TICK_TOLERANCE_MS = 50;
/** Several fit into a lease. */
const HEARTBEAT_MS = 5 * SECOND;
const LAPSE_INTERVAL_MS = 5 * SECOND;
/** A store may still be receiving a part. */
const SHUTDOWN_TIMEOUT_MS = 8 * SECOND;

const STOPPED = 'The service stopped. Start the job again.';

interface OwnJob extends OwnedJob {
  order: JobOrder;
  progress: JobProgress;
  storedProgress: string;
  beatenAt: number;
  /** A change was published, for example a cancellation. */
  isChanged: boolean;
  abort: AbortController;
  isCancelRequested: boolean;
  /** Undefined while it waits. */
  running: Promise<void> | undefined;
}

export interface JobRunnerSettings {
  /** Its connections have database sessions of their own. */
  databaseOf: (applicationId: number) => Promise<ClientConfig>;
  backupDays: number;
}

/**
 * Runs the exports and checks that this process has accepted. Not in the queue of pushes, because passphrases must not
 * be stored. Other processes read the rows of the jobs, and end those whose process died.
 */
export class JobRuns implements JobRunner {
  readonly processId = randomUUID();
  readonly #services: Services;
  readonly #settings: JobRunnerSettings;
  readonly #jobs = new Map<string, OwnJob>();
  #timer: NodeJS.Timeout | undefined;
  #ticking: Promise<void> | undefined;
  #isTickWanted = false;
  #lapsedAt = 0;
  #isStopping = false;

  constructor(services: Services, settings: JobRunnerSettings) {
    this.#services = services;
    this.#settings = settings;
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  start(): void {
    this.#timer = setInterval(() => this.#wake(), TICK_MS).unref();
    this.#services.jobNotifier.onChange(({ id }) => {
      const own = this.#jobs.get(id);
      if (own) own.isChanged = true;
      // The end of another job makes room for one that waits.
      if (this.#jobs.size > 0) this.#wake();
    });
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#timer);
    await this.#ticking;
    const waiting = [...this.#jobs.values()].filter(({ running }) => !running);
    for (const job of this.#jobs.values()) job.abort.abort();
    await Promise.all(waiting.map((job) => this.#end(job, { state: 'interrupted', error: STOPPED })));
    const running = Promise.all([...this.#jobs.values()].map((job) => job.running));
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, SHUTDOWN_TIMEOUT_MS);
    });
    await Promise.race([running, timeout]);
    clearTimeout(timer);
  }

  run(order: JobOrder): void {
    const { applicationId, id } = order;
    this.#jobs.set(id, {
      applicationId,
      id,
      processId: this.processId,
      order,
      progress: { done: 0, total: null, step: null },
      storedProgress: '',
      beatenAt: 0,
      isChanged: false,
      abort: new AbortController(),
      isCancelRequested: false,
      running: undefined,
    });
    this.#wake();
  }

  #wake(): void {
    this.#isTickWanted = true;
    this.#ticking ??= detached(() => this.#tick())
      .catch((error: unknown) => this.#services.log.warn({ err: error }, 'could not update jobs; retrying'))
      .finally(() => {
        this.#ticking = undefined;
      });
  }

  async #tick(): Promise<void> {
    while (this.#isTickWanted && !this.#isStopping) {
      this.#isTickWanted = false;
      if (performance.now() - this.#lapsedAt > LAPSE_INTERVAL_MS) {
        this.#lapsedAt = performance.now();
        const lapsed = await fromReachable(() => interruptLapsed(this.#services.now()));
        for (const job of lapsed) this.#services.jobNotifier.changed(job);
      }
      for (const job of [...this.#jobs.values()]) {
        await this.#beat(job);
        if (!job.running && !job.abort.signal.aborted) await this.#claim(job);
      }
    }
  }

  /** Renews the lease, stores progress and notices cancellations. */
  async #beat(job: OwnJob): Promise<void> {
    const text = JSON.stringify(job.progress);
    const age = performance.now() - job.beatenAt;
    const isDue = age >= HEARTBEAT_MS || (age >= TICK_MS - TICK_TOLERANCE_MS && text !== job.storedProgress);
    if (!isDue && !job.isChanged) return;
    job.isChanged = false;
    job.beatenAt = performance.now();
    const found = await storeProgress(job, job.progress);
    if (found && text !== job.storedProgress) {
      job.storedProgress = text;
      // Not `changed`, which would wake this runner again.
      this.#services.jobNotifier.progressed(job);
    }
    job.isCancelRequested ||= found?.isCancelRequested ?? false;
    if (found && !found.isCancelRequested) return;
    job.abort.abort();
    if (!job.running) this.#jobs.delete(job.id);
  }

  async #claim(job: OwnJob): Promise<void> {
    const { now, jobNotifier } = this.#services;
    if (!(await claimJob(job, now()))) return;
    jobNotifier.progressed(job);
    job.running = traced(`job ${job.order.kind}`, { isRoot: true }, () => this.#do(job)).finally(() => {
      this.#jobs.delete(job.id);
    });
  }

  /** Never rejects. */
  async #do(job: OwnJob): Promise<void> {
    const parts = new ArchiveParts(job, this.#services.storage);
    await this.#end(job, await this.#outcomeOf(job, parts), parts);
  }

  async #outcomeOf(job: OwnJob, parts: ArchiveParts): Promise<Outcome> {
    const { order, progress, abort } = job;
    const { now, log } = this.#services;
    const { databaseOf, backupDays } = this.#settings;
    try {
      const database = await databaseOf(order.applicationId);
      const work = { order, database, services: this.#services, signal: abort.signal, progress };
      const isExport = order.kind === 'export';
      const result: JobResult = isExport ? await exportToParts(work, parts) : await checkApplication(work);
      const expiresAt = isExport ? new Date(now().getTime() + backupDays * DAY) : null;
      return { state: 'succeeded', result, expiresAt };
    } catch (error) {
      if (job.isCancelRequested) return { state: 'canceled', error: null };
      if (abort.signal.aborted) return { state: 'interrupted', error: STOPPED };
      const { applicationId, id: jobId } = job;
      if (!(error instanceof LostJobError)) log.error({ err: error, applicationId, jobId }, `the ${order.kind} failed`);
      return { state: 'failed', error: sentenceOf(error) };
    }
  }

  async #end(job: OwnJob, outcome: Outcome, parts?: ArchiveParts): Promise<void> {
    const { now, log, jobNotifier } = this.#services;
    const { applicationId, id: jobId } = job;
    try {
      await storeProgress(job, job.progress);
      const released = await endJob(job, outcome, now());
      this.#jobs.delete(job.id);
      jobNotifier.changed(job);
      log.info({ applicationId, jobId, kind: job.order.kind, state: outcome.state }, 'a job ended');
      await parts?.settled();
      await removeReleased(released, this.#services);
    } catch (error) {
      log.warn({ err: error, applicationId, jobId }, 'could not store the end of a job; its lease will lapse');
    }
  }
}

/** The message shown to administrators; the log contains the cause. */
function sentenceOf(error: unknown): string {
  if (error instanceof ArchiveError) {
    const { message } = error;
    return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
  }
  if (error instanceof ServiceUnavailableError) {
    return 'The file storage is not available, or its disk is full. Check the log of the service, then start the job again.';
  }
  if (isDatabaseUnavailable(error)) return 'The connection to the database was lost. Start the job again.';
  return 'An unexpected error occurred. The log of the service has the cause.';
}
