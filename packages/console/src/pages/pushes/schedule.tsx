import { Time } from '../../ui/values.tsx';
import type { ListedEvent } from './documents.ts';

const UNITS = [
  { name: 'week', seconds: 604_800 },
  { name: 'day', seconds: 86_400 },
  { name: 'hour', seconds: 3_600 },
  { name: 'minute', seconds: 60 },
  { name: 'second', seconds: 1 },
];

/** When an event is sent. */
export function Schedule({ date, period }: Pick<ListedEvent, 'date' | 'period'>) {
  const start = date === null ? 'at once' : <Time of={date} />;
  return period === null ? (
    start
  ) : (
    <>
      {`every ${durationText(period)}, from `}
      {date === null ? 'now' : start}
    </>
  );
}

/** In the largest unit without remainder: 2 days. */
function durationText(seconds: number): string {
  const unit = UNITS.find((one) => seconds % one.seconds === 0) ?? UNITS.at(-1)!;
  const count = seconds / unit.seconds;
  return count === 1 ? unit.name : `${count} ${unit.name}s`;
}
