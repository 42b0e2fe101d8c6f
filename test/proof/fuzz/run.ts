import fc from 'fast-check';

/** How often each field, route and kind of document is tried. The same inputs every time, unless one asks for more. */
export const RUNS = Number(process.env.FUZZ_RUNS ?? 6);

/** More runs take longer than Vitest lets a test take by itself. */
export const TEST_TIMEOUT_MS = process.env.FUZZ_RUNS ? 24 * 60 * 60_000 : 600_000;

/** A request without an answer for so long is a fault: told with the input that did it, before Vitest gives up. */
const HANG = 300_000;

/** `FUZZ_SEED` and `FUZZ_PATH`, as a failure prints them, give its input again. */
function startingPoint(): { seed?: number; path?: string } {
  const { FUZZ_SEED, FUZZ_PATH, FUZZ_RUNS } = process.env;
  const seed = FUZZ_SEED ?? (FUZZ_RUNS ? undefined : 20_261_122);
  return { ...(seed === undefined ? {} : { seed: Number(seed) }), ...(FUZZ_PATH ? { path: FUZZ_PATH } : {}) };
}

/** Tries `check` with many inputs; the smallest one that fails is told, with the seed and the path that give it again. */
export async function fuzz<Input>(
  inputs: fc.Arbitrary<Input>,
  check: (input: Input) => Promise<void>,
  runs = RUNS,
): Promise<void> {
  await fc.assert(fc.asyncProperty(inputs, check), {
    numRuns: runs,
    timeout: HANG,
    endOnFailure: process.env.FUZZ_SHRINK === 'off',
    ...startingPoint(),
  });
}
