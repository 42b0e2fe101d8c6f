import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { statementsFolder } from '../../support/app/run-folder.ts';
import { judge } from './judge.ts';

/**
 * Fails a run in which the service sent a statement without its application, because a database with many servers
 * stores rows by application (docs/scaling.md). A run of all everyday tests, on one
 * database, also fails for unused exceptions.
 */
export default class ShardKeysReporter implements Reporter {
  #vitest!: Vitest;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    const { faults, unrouted, unusedExceptions } = judge(this.#takeStatements());
    for (const text of unrouted) tell(`src/db/application-keys.ts finds no application in this statement:\n  ${text}`);
    for (const fault of faults) tell(`A statement does not say by a value in which application it looks:\n  ${fault}`);
    if (process.env.TEST_DATABASE === 'shards' || !(await this.#hasAllEverydayTests(modules))) return;
    for (const { part } of unusedExceptions) tell(`No statement needs this exception any more:\n  ${part}`);
  }

  async #hasAllEverydayTests(modules: readonly TestModule[]): Promise<boolean> {
    const all = await this.#vitest.globTestSpecifications([]);
    const files = all.filter(({ project }) => project.name === 'everyday').length;
    return files > 0 && files === modules.filter(({ project }) => project.name === 'everyday').length;
  }

  #takeStatements(): Set<string> {
    const folder = statementsFolder();
    const files = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
    const statements = new Set(files.flatMap((file) => JSON.parse(readFileSync(file, 'utf8')) as string[]));
    rmSync(folder, { recursive: true, force: true }); // a run that watches continues
    return statements;
  }
}

function tell(fault: string): void {
  process.stdout.write(`\n${fault}\n`);
  process.exitCode = 1;
}
