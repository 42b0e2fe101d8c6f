import fc from 'fast-check';

/** Inputs per field, route and kind of document; the same every time unless `FUZZ_RUNS` is set. */
export const RUNS = Number(process.env.FUZZ_RUNS ?? 6);

export const TEST_TIMEOUT_MS = process.env.FUZZ_RUNS ? 24 * 60 * 60_000 : 600_000;

/** A request without a response for this long fails with its input, before Vitest's own timeout. */
const HANG = 300_000;

/** `FUZZ_SEED` and `FUZZ_PATH` of a failure reproduce its input. */
function startingPoint(): { seed?: number; path?: string } {
  const { FUZZ_SEED, FUZZ_PATH, FUZZ_RUNS } = process.env;
  const seed = FUZZ_SEED ?? (FUZZ_RUNS ? undefined : 20_261_122);
  return { ...(seed === undefined ? {} : { seed: Number(seed) }), ...(FUZZ_PATH ? { path: FUZZ_PATH } : {}) };
}

/** Runs `check` with many inputs; reports the smallest failing one with its seed and path. */
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
