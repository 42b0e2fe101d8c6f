import type { Cleanup } from './cleanup.ts';
import type { Contest } from './contest.ts';
import type { Person } from './doors.ts';
import type { Recorder } from './service.ts';

/** What the benchmarks meet in. */
export interface Arena {
  /** The service that is measured. */
  serviceUrl: string;
  /** The same for finding out what it sends to the database. */
  recorder: Recorder;
  databaseUrl: string;
  /** For whatever a benchmark has to keep; removed at the end. */
  folder: string;
  /** Five users with open sessions. */
  people: Person[];
  seconds: number;
  cleanup: Cleanup;
}

/** Puts into the database what it needs, starts its bare limits, and says what to measure. */
export type Benchmark = (arena: Arena) => Promise<Contest[]>;
