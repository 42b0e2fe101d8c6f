import type { AdministrationContext, Services } from '../../context.ts';
import type { Ledger } from './ledger.ts';
import type { Source } from './source.ts';

export interface Told {
  begin: (what: string, total?: number) => void;
  advance: (count?: number) => void;
  say: (text: string) => void;
}

export interface Run {
  source: Source;
  ledger: Ledger;
  progress: Told;
  publicDetails: boolean;
  identitiesProven: boolean;
  context: AdministrationContext & Pick<Services, 'storage'>;
}

export interface StoredDialog {
  applicationId: number;
  id: string;
  type: number;
  isKnown: boolean;
}
