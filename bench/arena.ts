import type { Cleanup } from './cleanup.ts';
import type { Contest } from './contest.ts';
import type { Person } from './doors.ts';
import type { Recorder } from './service.ts';

export interface Arena {
  serviceUrl: string;
  /** A second service that reports its SQL statements. */
  recorder: Recorder;
  databaseUrl: string;
  folder: string;
  people: Person[];
  seconds: number;
  cleanup: Cleanup;
}

export type Benchmark = (arena: Arena) => Promise<Contest[]>;
