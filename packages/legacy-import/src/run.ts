import type { Ledger } from './ledger.ts';
import type { AdministrationContext, Services } from './service.ts';
import type { Source } from './source.ts';

export interface Progress {
  begin: (what: string, total?: number) => void;
  advance: (count?: number) => void;
  say: (text: string) => void;
}

export interface RunOptions {
  /** Read hidden messages and mutes of public groups, which takes requests per user and group. */
  publicDetails: boolean;
  identitiesProven: boolean;
  progress: Progress;
}

export type MigrationContext = AdministrationContext & Pick<Services, 'storage'>;

export interface Run extends RunOptions {
  source: Source;
  ledger: Ledger;
  context: MigrationContext;
}

export interface StoredDialog {
  applicationId: number;
  id: string;
  type: number;
  /** An earlier run has stored it. */
  isKnown: boolean;
}
