/** Requests of an hour whose durations are in the same bucket. */
export interface RequestCount {
  applicationId: number;
  hour: Date;
  bucket: number;
  succeeded: number;
  refused: number;
  failed: number;
}

/** Durations of a bucket differ by at most this factor. */
const GROWTH = 1.2;
const MAX_MS = 3_600_000;
/** While the database does not respond; a thousand applications with ten buckets. */
const MAX_COUNTS = 10_000;

/** Counts requests by outcome and duration, in memory until `src/jobs/store-requests.ts` stores them. */
export class RequestCounts {
  #counts = new Map<string, RequestCount>();

  /** @param ms undefined if the duration says nothing about the service */
  add({ status, ms, ...of }: { applicationId: number; hour: Date; status: number; ms: number | undefined }): void {
    const failed = status >= 500 ? 1 : 0;
    const refused = status >= 400 ? 1 - failed : 0;
    this.#add({ ...of, bucket: bucketOf(ms), succeeded: 1 - failed - refused, refused, failed });
  }

  /** Takes what was counted, to store it. */
  take(): RequestCount[] {
    const counts = [...this.#counts.values()];
    this.#counts = new Map();
    return counts;
  }

  /** Returns counts that could not be stored. */
  putBack(counts: readonly RequestCount[]): void {
    for (const count of counts) this.#add(count);
  }

  #add(count: RequestCount): void {
    const key = `${count.applicationId} ${count.hour.getTime()} ${count.bucket}`;
    const known = this.#counts.get(key);
    if (known) {
      known.succeeded += count.succeeded;
      known.refused += count.refused;
      known.failed += count.failed;
    } else if (this.#counts.size < MAX_COUNTS) this.#counts.set(key, { ...count });
  }
}

/** 0 without a duration, 1 up to a millisecond. */
function bucketOf(ms: number | undefined): number {
  return ms === undefined ? 0 : 1 + Math.ceil(Math.log(Math.min(Math.max(ms, 1), MAX_MS)) / Math.log(GROWTH));
}

/** Longest duration of a bucket. */
export function millisecondsOf(bucket: number): number {
  return GROWTH ** (bucket - 1);
}
