import type { Command } from 'commander';
import type { ClientConfig } from 'pg';
import { pino } from 'pino';
import { readConfig } from '../../config.ts';
import { createStorage } from '../../gateways/create-storage.ts';
import { countUndecryptable } from '../../resolvers/applications/secrets.ts';
import { createEncrypter, databasesOf, openDatabase } from '../../server/startup.ts';
import type { Difference } from '../integrity/check.ts';
import { CHECKS, checkDatabase } from '../integrity/run.ts';
import { print } from './answer.ts';
import { onInterruption } from './interruption.ts';
import { optionalApplicationOption } from './options.ts';
import { createProgress } from './progress.ts';

const MAX_PRINTED = 20;

interface Options {
  application?: number;
  repair?: boolean;
  verbose?: boolean;
}

export function addCheckCommand(program: Command): void {
  program
    .command('check')
    .description('compare stored data with recomputed values, without blocking the running service')
    .addOption(optionalApplicationOption())
    .option('--repair', 'correct what can be recomputed, and remove orphaned rows')
    .option('--verbose', 'list all checks, not only those with differences')
    .addHelpText('after', '\nExit codes: 0 if there are no differences or all were repaired, otherwise 1.')
    .action(async ({ application, repair = false, verbose = false }: Options, command: Command) => {
      const report = await check(application, repair);
      const json = command.optsWithGlobals().json === true;
      await print({ value: json ? report : summaryOf(report, verbose) }, { json });
      const left = report.differences - report.repaired;
      if (left > 0) throw new Error(left === 1 ? 'there is a difference' : `there are ${left} differences`);
    });
}

type Report = Awaited<ReturnType<typeof check>>;

/** One line if there are no differences. */
function summaryOf({ checks, differences, repaired, found }: Report, isVerbose: boolean): object {
  const outcome = differences === 0 ? 'no differences' : `${differences} differences, ${repaired} repaired`;
  const result = `${checks.length} checks, ${outcome}`;
  const listed = isVerbose ? checks : checks.filter((one) => one.differences > 0);
  return { result, ...(listed.length > 0 && { checks: listed }), ...(found.length > 0 && { found }) };
}

async function check(applicationId: number | undefined, repairs: boolean) {
  const { signal, forget } = onInterruption();
  const config = readConfig();
  const database = await openDatabase(config, { mayCreate: false });
  const progress = createProgress();
  const storage = await createStorage({ ...config, log: pino({ level: 'silent' }) });
  const counts = new Map(CHECKS.map(({ name }) => [name, { differences: 0, repaired: 0 }]));
  const found: (Omit<Difference, 'row'> & { row: string; isRepaired: boolean })[] = [];
  try {
    const encrypter = await createEncrypter(config);
    const databases = await databasesOf(database, applicationId);
    // Administrators are in the first one.
    const isElsewhere = (one: ClientConfig, id: number | null) => id === null && one !== databases[0];
    for (const one of databases)
      await checkDatabase({
        database: one,
        storage,
        countUndecryptable: async (id) =>
          isElsewhere(one, id) ? 0 : countUndecryptable(encrypter, { applicationId: id }),
        signal,
        now: new Date(),
        applicationId,
        repairs,
        onBegin: (name, id) => progress.begin(id === null ? name : `application ${id}: ${name}`),
        onDifference: ({ row, ...difference }, isRepaired) => {
          const count = counts.get(difference.check)!;
          count.differences++;
          if (isRepaired) count.repaired++;
          if (count.differences <= MAX_PRINTED) found.push({ ...difference, row: JSON.stringify(row), isRepaired });
        },
      });
  } finally {
    forget();
    progress.end();
    storage.close();
    await database.stop();
  }
  const sum = (of: 'differences' | 'repaired') => [...counts.values()].reduce((total, count) => total + count[of], 0);
  const checks = CHECKS.map(({ name, sentence }) => ({ name, sentence, ...counts.get(name)! }));
  return { differences: sum('differences'), repaired: sum('repaired'), checks, found };
}
