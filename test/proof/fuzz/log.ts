import { pino } from 'pino';
import { expect } from 'vitest';

/** Pino's level `error`. */
const FAULT = 50;

export function faultLog() {
  const faults: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void (isFault(line) && faults.push(line)) });
  const expectNoFaults = () => expect(faults.splice(0).map((line) => line.slice(0, 2000))).toEqual([]);
  return {
    log,
    /** Runs a check, and fails with the logged bugs, or else with the error of the check. */
    async orFault(ask: () => Promise<void>): Promise<void> {
      await ask().catch((error: unknown) => {
        expectNoFaults();
        throw error;
      });
      expectNoFaults();
    },
  };
}

/** Whether a log line reports a bug. Unavailable providers of pushes and models are no bugs. */
export function isFault(line: string): boolean {
  if (!line.startsWith('{')) return /unhandled|uncaught|Error:/i.test(line);
  const { level, status } = JSON.parse(line) as { level: number; status?: number };
  // The caller checks whether a 503 is allowed.
  return level >= FAULT && status !== 503;
}

const INSIDE =
  /prisma|postgres|pg_|node_modules|\/src\/|\.ts:\d+|\bat (?:async )?[\w.<> ]{1,80} \(.{1,200}:\d+:\d+\)|\bfile:\/\/|violates|invalid input syntax|ECONN|EPIPE|relation "|column "|TypeError|RangeError|Cannot read prop|is not a function|Internal server error|Unexpected error/i;

export function expectMasked(text: string): void {
  expect(INSIDE.exec(text)?.[0]).toBeUndefined();
}
