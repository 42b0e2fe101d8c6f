import { plural, t } from '@lingui/core/macro';
import { bytesText } from '../../ui/bytes.ts';
import type { Tone } from '../../ui/status.tsx';
import type { ListedJob } from './documents.ts';

export function titleOf({ kind, isRepair }: Pick<ListedJob, 'kind' | 'isRepair'>): string {
  if (kind === 'EXPORT') return t`Export`;
  return isRepair ? t`Check and repair` : t`Check`;
}

export const STATES: Readonly<Record<ListedJob['state'], { name: string; tone: Tone }>> = {
  QUEUED: { name: t`Waiting`, tone: 'plain' },
  RUNNING: { name: t`Running`, tone: 'warn' },
  SUCCEEDED: { name: t`Done`, tone: 'good' },
  FAILED: { name: t`Failed`, tone: 'bad' },
  CANCELED: { name: t`Canceled`, tone: 'plain' },
  INTERRUPTED: { name: t`Interrupted`, tone: 'bad' },
};

/** A check that succeeded, but found something. */
export const DIFFERENT: { name: string; tone: Tone } = { name: t`Differences`, tone: 'bad' };

export function hasOpenDifferences(checks: readonly Pick<Check, 'differences' | 'repaired'>[]): boolean {
  return checks.some(({ differences, repaired }) => differences > repaired);
}

/** The outcome in a few words. */
export function resultOf({ error, backup, check }: Pick<ListedJob, 'error' | 'backup' | 'check'>): string {
  if (error) return error;
  if (backup) return backup.isStored ? t`${bytesText(backup.bytes)}, stored` : t`${bytesText(backup.bytes)}, deleted`;
  return check ? outcomeOf(check.checks) : '';
}

type Check = NonNullable<ListedJob['check']>['checks'][number];

/** For example: 49 checks, no differences. */
export function outcomeOf(checks: readonly Pick<Check, 'differences' | 'repaired'>[]): string {
  const sum = (of: 'differences' | 'repaired') => checks.reduce((total, one) => total + one[of], 0);
  const [differences, repaired] = [sum('differences'), sum('repaired')];
  const parts = [
    plural(checks.length, { one: '# check', other: '# checks' }),
    differences === 0 ? t`no differences` : plural(differences, { one: '# difference', other: '# differences' }),
    repaired > 0 && plural(repaired, { one: '# repaired', other: '# repaired' }),
  ];
  return parts.filter(Boolean).join(', ');
}

/** Of what is known, 0 to 100; undefined before anything is counted. */
export function percentOf({ done, total }: ListedJob['progress']): number | undefined {
  if (total === null) return undefined;
  return total === 0 ? 100 : Math.min(100, Math.floor((done / total) * 100));
}

export function durationText(from: string, to: string): string {
  const seconds = Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 1000));
  if (seconds < 60) return t`${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? t`${minutes} min ${seconds % 60} s` : t`${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
