import type { Person } from './calls.ts';
import type { Cleanup } from './cleanup.ts';
import type { Comparison } from './comparison.ts';

export interface Environment {
  serviceUrl: string;
  servicePid: number;
  databaseUrl: string;
  /** Data directory of the PostgreSQL server. */
  postgresDir: string;
  folder: string;
  people: Person[];
  seconds: number;
  /** Of the largest database of `growth`. */
  messages: number;
  cleanup: Cleanup;
}

export type Benchmark = (environment: Environment) => Promise<Comparison[]>;
