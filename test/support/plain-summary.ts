import type { Reporter, TestModule } from 'vitest/node';

/** Closes a run with one plain line that any reader of logs understands: `371 passed, 0 failed, 2 skipped`. */
export default class PlainSummary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) counts[test.result().state]++;
      // A file that fails to load has no tests to count.
      if (module.errors().length > 0) counts.failed++;
    }
    const { passed, failed, skipped } = counts;
    process.stdout.write(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
  }
}
