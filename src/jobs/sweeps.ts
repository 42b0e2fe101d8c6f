import { chainAuditLog } from '../administration/audit/append.ts';
import { trimAuditLog } from '../administration/audit/trim.ts';
import type { Services } from '../context.ts';
import { onEachShard } from '../db/shards.ts';
import { DAY, MINUTE, SECOND } from '../lib/time.ts';
import { traced } from '../platform/observability/tracing.ts';
import { onClassDeleted } from '../resolvers/classes/delete.ts';
import { type Retention, sweep } from './sweep.ts';
import { sweepDeletedClasses } from './sweep-classes.ts';
import { sweepFiles } from './sweep-files.ts';

const SWEEP_INTERVAL_MS = 5 * MINUTE;
/** Until then, changes of the entries by others are not detected. */
const CHAIN_INTERVAL_MS = 10 * SECOND;

/** The records of a class are also swept right after its deletion. A failed sweep is retried at the next interval. */
export class Sweeps {
  readonly #services: Services;
  readonly #retention: Retention;
  #timer: NodeJS.Timeout | undefined;
  #chainTimer: NodeJS.Timeout | undefined;
  #forget = () => {};

  constructor(services: Services, retention: Retention) {
    this.#services = services;
    this.#retention = retention;
  }

  start(): void {
    const { now, storage, encrypter } = this.#services;
    const { auditDays } = this.#retention;
    this.#timer = setInterval(() => {
      this.#run('sweep', () => sweep(now(), this.#retention));
      this.#run('sweep-files', () => sweepFiles(now(), storage));
      this.#run('trim-audit-log', () => trimAuditLog(new Date(now().getTime() - auditDays * DAY), encrypter));
    }, SWEEP_INTERVAL_MS).unref();
    this.#chainTimer = setInterval(
      () => this.#run('chain-audit-log', () => chainAuditLog(encrypter)),
      CHAIN_INTERVAL_MS,
    ).unref();
    this.#forget = onClassDeleted(() => this.#run('sweep-classes', () => sweepDeletedClasses(now())));
  }

  stop(): void {
    clearInterval(this.#timer);
    clearInterval(this.#chainTimer);
    this.#forget();
  }

  #run(name: string, work: () => Promise<void>): void {
    const { observer, log } = this.#services;
    traced(`job ${name}`, { isRoot: true }, () => onEachShard(work)).catch((error) => {
      observer.sweepFailed();
      log.warn({ err: error }, 'a sweep failed; the next one will retry');
    });
  }
}
