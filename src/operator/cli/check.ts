import type { Command } from 'commander';
import { pino } from 'pino';
import { readConfig } from '../../config.ts';
import { createStorage } from '../../gateways/create-storage.ts';
import { countUndecryptable } from '../../resolvers/applications/secrets.ts';
import { createEncrypter, openDatabase } from '../../server/startup.ts';
import type { Difference } from '../integrity/check.ts';
import { CHECKS, checkDatabase } from '../integrity/run.ts';
import { print } from './answer.ts';
import { onInterruption } from './interruption.ts';
import { applicationOption } from './options.ts';
import { createProgress } from './progress.ts';

/** Differences of one check that are told one by one. */
const MAX_PRINTED = 20;

export function addCheckCommand(program: Command): void {
  program
    .command('check')
    .description('count anew what is stored and compare; beside a service at work, which it does not hold up')
    .addOption(applicationOption().makeOptionMandatory(false))
    .option('--repair', 'set right what can be counted anew, and remove what belongs to nothing')
    .addHelpText('after', '\nExits with 0 when all is as it should be, or was set right, and with 1 else.')
    .action(async ({ application, repair = false }: { application?: number; repair?: boolean }, command: Command) => {
      const report = await check(application, repair);
      await print({ value: report }, { json: command.optsWithGlobals().json === true });
      const left = report.differences - report.repaired;
      if (left > 0) throw new Error(left === 1 ? 'there is a difference' : `there are ${left} differences`);
    });
}

async function check(applicationId: number | undefined, repairs: boolean) {
  const { signal, forget } = onInterruption();
  const config = readConfig();
  const database = await openDatabase(config);
  const progress = createProgress();
  const storage = await createStorage({ ...config, log: pino({ level: 'silent' }) });
  const counts = new Map(CHECKS.map(({ name }) => [name, { differences: 0, repaired: 0 }]));
  const found: (Omit<Difference, 'row'> & { row: string; isRepaired: boolean })[] = [];
  try {
    const encrypter = await createEncrypter(config);
    await checkDatabase({
      database: database.direct,
      storage,
      unopened: (id) => countUndecryptable(encrypter, { applicationId: id }),
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
