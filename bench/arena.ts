import type { Person } from './calls.ts';
import type { Cleanup } from './cleanup.ts';
import type { Contest } from './contest.ts';

export interface Arena {
  serviceUrl: string;
  servicePid: number;
  databaseUrl: string;
  /** Data directory of the PostgreSQL server. */
  postgresDir: string;
  folder: string;
  people: Person[];
  seconds: number;
  cleanup: Cleanup;
}

export type Benchmark = (arena: Arena) => Promise<Contest[]>;
