import { once } from 'node:events';
import type { Command } from 'commander';
import { exportAuditLog } from '../../administration/audit/export.ts';
import { restartAuditLog } from '../../administration/audit/restart.ts';
import { verifyAuditLog } from '../../administration/audit/verify.ts';
import type { AuditEntry } from '../../generated/prisma/client.ts';
import { administer } from './administer.ts';
import { confirm, yesOption } from './confirm.ts';
import { optionalApplicationOption, timeOf } from './options.ts';

export function addAuditCommands(program: Command): void {
  const audit = program.command('audit').description('check and export the audit log');

  audit
    .command('verify')
    .description('check that no entry of the audit log was changed or removed; exits with 1 otherwise')
    .addOption(optionalApplicationOption())
    .action(({ application }: { application?: number }, command: Command) =>
      administer(command, async ({ encrypter }) => {
        const reports = await verifyAuditLog(encrypter, application);
        const value = reports.map(({ problem, ...report }) => ({ ...report, result: problem ?? 'intact' }));
        const broken = reports.filter(({ problem }) => problem !== undefined).length;
        return {
          value,
          columns: ['applicationId', 'from', 'to', 'result'],
          ...(broken > 0 && { failure: broken === 1 ? 'a chain is not intact' : `${broken} chains are not intact` }),
        };
      }),
    );

  audit
    .command('restart')
    .description('continue chains that another ENCRYPTION_KEY has signed; their entries can no longer be verified')
    .addOption(yesOption())
    .action(async (options: { yes?: boolean }, command: Command) => {
      await confirm('Give up the verification of all entries that another ENCRYPTION_KEY has signed?', options);
      await administer(command, async ({ encrypter }) => {
        return { value: await restartAuditLog(encrypter), columns: ['applicationId', 'until'] };
      });
    });

  audit
    .command('export')
    .description('print the audit log, one JSON object per line, oldest first')
    .addOption(optionalApplicationOption())
    .option('--since <time>', 'only entries of this ISO 8601 time and later', timeOf)
    .action(({ application, since }: { application?: number; since?: Date }, command: Command) =>
      administer(command, async () => {
        for await (const entries of exportAuditLog(application, since)) {
          await write(entries.map((entry) => `${JSON.stringify(lineOf(entry))}\n`).join(''));
        }
        return undefined;
      }),
    );
}

function lineOf({ id, hash, ...entry }: AuditEntry) {
  return { id: String(id), ...entry, hash: hash && Buffer.from(hash).toString('hex') };
}

async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}
