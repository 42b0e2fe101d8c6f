import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Time } from '../../ui/values.tsx';
import type { ListedEvent } from './documents.ts';

const UNITS = [
  { seconds: 604_800, every: (count: number) => plural(count, { one: 'every week', other: 'every # weeks' }) },
  { seconds: 86_400, every: (count: number) => plural(count, { one: 'every day', other: 'every # days' }) },
  { seconds: 3_600, every: (count: number) => plural(count, { one: 'every hour', other: 'every # hours' }) },
  { seconds: 60, every: (count: number) => plural(count, { one: 'every minute', other: 'every # minutes' }) },
  { seconds: 1, every: (count: number) => plural(count, { one: 'every second', other: 'every # seconds' }) },
];

/** When an event is sent. */
export function Schedule({ date, period }: Pick<ListedEvent, 'date' | 'period'>) {
  if (period === null) return date === null ? t`at once` : <Time isExact of={date} />;
  if (date === null) return t`${intervalText(period)}, from now`;
  return (
    <Trans>
      {intervalText(period)}, from <Time isExact of={date} />
    </Trans>
  );
}

/** In the largest unit without remainder: every 2 days. */
function intervalText(seconds: number): string {
  const unit = UNITS.find((one) => seconds % one.seconds === 0) ?? UNITS.at(-1)!;
  return unit.every(seconds / unit.seconds);
}
