import type { Reporter, TestModule } from 'vitest/node';

const SLOWEST = 10;

/** Prints the slowest files, and a line like `371 passed, 0 failed, 2 skipped`. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) counts[test.result().state]++;
      // A file that fails to load contains no tests to count.
      if (module.errors().length > 0) counts.failed++;
    }
    const { passed, failed, skipped } = counts;
    process.stdout.write(
      `\nslowest files:\n${slowest(modules).join('\n')}\n` +
        `\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`,
    );
  }
}

function slowest(modules: readonly TestModule[]): string[] {
  return modules
    .map((module) => {
      const { collectDuration, duration } = module.diagnostic();
      return { file: module.relativeModuleId, seconds: (collectDuration + duration) / 1000 };
    })
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, SLOWEST)
    .map(({ file, seconds }) => `${seconds.toFixed(1).padStart(6)} s  ${file}`);
}
