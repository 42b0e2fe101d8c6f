import type { ClientConfig } from 'pg';
import type { JobProgress } from '../administration/jobs/lease.ts';
import type { CheckOutcome, CheckResult, ExportResult, FoundDifference } from '../administration/jobs/rows.ts';
import type { JobOrder, Services } from '../context.ts';
import { countUndecryptable } from '../resolvers/applications/secrets.ts';
import { serviceVersion } from '../resolvers/applications/service-status.ts';
import type { ArchiveParts } from './archive-parts.ts';
import { createPace } from './pace.ts';

/** Differences shown per check. */
const MAX_FOUND = 20;

export interface Work {
  order: JobOrder;
  /** With a database session of its own. */
  database: ClientConfig;
  services: Services;
  signal: AbortSignal;
  /** Updated as the work proceeds. */
  progress: JobProgress;
}

// The modules are loaded on first use, because few processes need them.

export async function exportToParts(
  { order: { applicationId, passphrase }, database, services, signal, progress }: Work,
  parts: ArchiveParts,
): Promise<ExportResult> {
  const { writeArchive } = await import('../operator/archive/export.ts');
  const { rowsOf } = await import('../operator/archive/format.ts');
  const { storage, encrypter, now } = services;
  let missingFiles = 0;
  progress.step = 'Counting';
  const [counted] = await writeArchive(
    {
      applicationId,
      passphrase,
      version: serviceVersion(),
      databases: [database],
      storage,
      encrypter,
      now: now(),
      signal,
      onTotal: (items) => {
        progress.total = items;
        progress.step = 'Writing rows and files';
      },
      onEntry: (_id, what) => {
        progress.done += 'rows' in what ? what.rows : 1;
      },
      onMissing: () => {
        missingFiles++;
        progress.done++;
      },
      pace: createPace(),
    },
    (chunks) => parts.store(chunks),
  );
  return { ...parts.stored(), rows: rowsOf(counted!), files: counted!.files.count, missingFiles };
}

export async function checkApplication({ order, database, services, signal, progress }: Work): Promise<CheckResult> {
  const { CHECKS, ROW_CHECKS, checkDatabase } = await import('../operator/integrity/run.ts');
  const { applicationId, isRepair, actor } = order;
  const { storage, encrypter, now } = services;
  const repairable = new Set(ROW_CHECKS.filter(({ repair }) => repair).map(({ name }) => name));
  const global = new Set(ROW_CHECKS.filter(({ isGlobal }) => isGlobal).map(({ name }) => name));
  const own = CHECKS.filter(({ name }) => !global.has(name));
  const outcomes = new Map<string, CheckOutcome>(
    own.map(({ name, sentence }) => [
      name,
      { name, description: sentence, isRepairable: repairable.has(name), differences: 0, repaired: 0 },
    ]),
  );
  const found: FoundDifference[] = [];
  progress.total = own.length;
  let begun = 0;
  await checkDatabase({
    database,
    storage,
    countUndecryptable: (id) => countUndecryptable(encrypter, { applicationId: id }),
    now: now(),
    applicationId,
    repairs: isRepair,
    actor,
    signal,
    onBegin: (check) => {
      progress.done = begun++;
      progress.step = check;
    },
    onDifference: ({ check, row, kept, counted }, isRepaired) => {
      const outcome = outcomes.get(check)!;
      outcome.differences++;
      if (isRepaired) outcome.repaired++;
      if (outcome.differences <= MAX_FOUND) found.push({ check, row, stored: kept, expected: counted, isRepaired });
    },
  });
  progress.done = own.length;
  return { checks: [...outcomes.values()], found };
}
