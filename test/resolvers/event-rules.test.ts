import { expect, test } from 'vitest';
import { firstDue, nextDue } from '../../src/resolvers/push-events/rules.ts';
import { nextAttempt } from '../../src/resolvers/pushes/retries.ts';
import { fc } from '../support/app/properties.ts';

const moment = (seconds: number) => new Date(1_795_196_819_000 + seconds * 1000);

test('repetitions are due exactly at their scheduled times, whenever the schedule is computed', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -1_000_000, max: 1_000_000 }),
      fc.integer({ min: 60, max: 100_000 }),
      fc.option(fc.integer({ min: 0, max: 2_000_000 }), { nil: null }),
      fc.array(fc.integer({ min: 0, max: 500_000 }), { maxLength: 20 }),
      (start, period, length, looks) => {
        const date = moment(start);
        const endDate = length === null ? null : moment(start + length);
        const schedule = { eventType: 'period_date' as const, date, period, endDate };
        let now = 0;
        let due = firstDue(schedule, moment(now));
        const sent: number[] = [];
        for (const wait of looks) {
          now += wait;
          if (due === null || due > moment(now)) continue;
          sent.push(due.getTime());
          due = nextDue(schedule, moment(now));
          // The result is never in the past: missed repetitions count as one.
          if (due) expect(due.getTime()).toBeGreaterThan(moment(now).getTime());
        }
        for (const time of sent) {
          expect((time - date.getTime()) % (period * 1000)).toBe(0);
          expect(time).toBeGreaterThanOrEqual(moment(0).getTime());
          if (endDate) expect(time).toBeLessThanOrEqual(endDate.getTime());
        }
        expect(new Set(sent).size).toBe(sent.length);
      },
    ),
  );
});

test.each([
  [{ attempts: 1 }, 10],
  [{ attempts: 2 }, 20],
  [{ attempts: 9 }, 2_560],
  [{ attempts: 10 }, 3_600],
  [{ attempts: 5_000 }, 3_600],
  [{ attempts: 1, retryAfter: 5 }, 10],
  [{ attempts: 1, retryAfter: 500 }, 500],
  [{ attempts: 1, retryAfter: 100_000 }, undefined],
  [{ attempts: 1, retryAfter: 86_400 }, undefined],
  [{ attempts: 1, retryAfter: 86_399 }, 86_399],
])('after %j the next attempt is in %s seconds', (asked, seconds) => {
  const at = nextAttempt({ ...asked, expiresAt: moment(86_400) }, moment(0));
  expect(at).toEqual(seconds === undefined ? undefined : moment(seconds));
});
