import { stripVTControlCharacters } from 'node:util';
import type { Reporter, TestModule } from 'vitest/node';

const SLOWEST = 10;

/** Printed lines of each failure. */
const LINES_OF_FAILURE = 30;

/** Prints the slowest files, a line like `371 passed, 0 failed, 2 skipped`, and the failures between two marks. */
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
    if (failed > 0) {
      const failures = [
        ...modules.flatMap(failuresOf),
        ...unhandledErrors.map((error) => report('unhandled', [error])),
      ];
      process.stdout.write(`\nfailures:\n${failures.join('\n')}\nend of failures\n`);
    }
  }
}

function failuresOf(module: TestModule): string[] {
  const failures = module.errors().length > 0 ? [report(module.relativeModuleId, module.errors())] : [];
  for (const test of module.children.allTests('failed')) {
    failures.push(report(`${module.relativeModuleId} > ${test.fullName}`, test.result().errors ?? []));
  }
  return failures;
}

function report(name: string, errors: readonly unknown[]): string {
  const text = errors.map((error) => {
    const { message, stack, diff } = error as { message?: string; stack?: string; diff?: string };
    return [stack ?? message ?? String(error), diff].filter(Boolean).join('\n');
  });
  const lines = stripVTControlCharacters(text.join('\n'))
    .split('\n')
    .filter((line) => !line.includes('/node_modules/'));
  return [name, ...lines.slice(0, LINES_OF_FAILURE).map((line) => `  ${line}`)].join('\n');
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
