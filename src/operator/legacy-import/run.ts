import type { AdministrationContext, Services } from '../../context.ts';
import type { Ledger } from './ledger.ts';
import type { Source } from './source.ts';

/** Tells how far it is (src/operator/cli/progress.ts). */
export interface Told {
  begin: (what: string, total?: number) => void;
  advance: (count?: number) => void;
  say: (text: string) => void;
}

/** What every step of a migration works with. */
export interface Run {
  source: Source;
  ledger: Ledger;
  progress: Told;
  /** Whether each user is asked of each public group, too, what they have deleted for themselves and muted. */
  publicDetails: boolean;
  /** Whether the other server had proof of e-mails, phones and provider accounts. */
  identitiesProven: boolean;
  context: AdministrationContext & Pick<Services, 'storage'>;
}

/** A dialog as it is stored in one transaction. */
export interface StoredDialog {
  applicationId: number;
  id: string;
  type: number;
  /** Whether it was stored by the reading before. */
  isKnown: boolean;
}
