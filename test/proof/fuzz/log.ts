import { pino } from 'pino';
import { expect } from 'vitest';

/** Lines that tell of a fault: from 50 on, pino's `error`. */
const FAULT = 50;

/** A log that remembers what went wrong. */
export function faultLog() {
  const faults: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void (isFault(line) && faults.push(line)) });
  const expectNoFaults = () => expect(faults.splice(0).map((line) => line.slice(0, 2000))).toEqual([]);
  return {
    log,
    /** Asks, and fails with what the log tells of it, or else with what is wrong with the answer. */
    async orFault(ask: () => Promise<void>): Promise<void> {
      await ask().catch((error: unknown) => {
        expectNoFaults();
        throw error;
      });
      expectNoFaults();
    },
  };
}

/** Whether a line of the log tells of something that must not happen. Providers of pushes and models may be away. */
export function isFault(line: string): boolean {
  if (!line.startsWith('{')) return /unhandled|uncaught|Error:/i.test(line);
  const { level, status } = JSON.parse(line) as { level: number; status?: number };
  // Whether an answer may be that a provider is away is asked of the answer itself.
  return level >= FAULT && status !== 503;
}

/** Words of the inside, which no answer may have. */
const INSIDE =
  /prisma|postgres|pg_|node_modules|\/src\/|\.ts:\d+|\bat (?:async )?[\w.<> ]{1,80} \(.{1,200}:\d+:\d+\)|\bfile:\/\/|violates|invalid input syntax|ECONN|EPIPE|relation "|column "|TypeError|RangeError|Cannot read prop|is not a function|Internal server error|Unexpected error/i;

export function expectMasked(text: string): void {
  expect(INSIDE.exec(text)?.[0]).toBeUndefined();
}
