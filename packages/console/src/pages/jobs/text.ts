import { bytesText } from '../../ui/bytes.ts';
import type { ListedJob } from './documents.ts';

export function titleOf({ kind, isRepair }: Pick<ListedJob, 'kind' | 'isRepair'>): string {
  if (kind === 'EXPORT') return 'Export';
  return isRepair ? 'Check and repair' : 'Check';
}

export const STATES: Readonly<Record<ListedJob['state'], { name: string; color: string }>> = {
  QUEUED: { name: 'Waiting', color: 'gray' },
  RUNNING: { name: 'Running', color: 'brand' },
  SUCCEEDED: { name: 'Done', color: 'brand' },
  FAILED: { name: 'Failed', color: 'red' },
  CANCELED: { name: 'Canceled', color: 'gray' },
  INTERRUPTED: { name: 'Interrupted', color: 'red' },
};

/** A check that succeeded, but found something. */
export const DIFFERENT = { name: 'Differences', color: 'red' };

export function hasOpenDifferences(checks: readonly Pick<Check, 'differences' | 'repaired'>[]): boolean {
  return checks.some(({ differences, repaired }) => differences > repaired);
}

/** The outcome in a few words. */
export function resultOf({ error, backup, check }: Pick<ListedJob, 'error' | 'backup' | 'check'>): string {
  if (error) return error;
  if (backup) return `${bytesText(backup.bytes)}, ${backup.isStored ? 'stored' : 'deleted'}`;
  return check ? outcomeOf(check.checks) : '';
}

type Check = NonNullable<ListedJob['check']>['checks'][number];

/** For example: 49 checks, no differences. */
export function outcomeOf(checks: readonly Pick<Check, 'differences' | 'repaired'>[]): string {
  const sum = (of: 'differences' | 'repaired') => checks.reduce((total, one) => total + one[of], 0);
  const [differences, repaired] = [sum('differences'), sum('repaired')];
  if (differences === 0) return `${checks.length} checks, no differences`;
  const found = `${differences.toLocaleString()} ${differences === 1 ? 'difference' : 'differences'}`;
  return `${checks.length} checks, ${found}${repaired > 0 ? `, ${repaired.toLocaleString()} repaired` : ''}`;
}

/** Of what is known, 0 to 100; undefined before anything is counted. */
export function percentOf({ done, total }: ListedJob['progress']): number | undefined {
  if (total === null) return undefined;
  return total === 0 ? 100 : Math.min(100, Math.floor((done / total) * 100));
}

export function durationText(from: string, to: string): string {
  const seconds = Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
