import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type pg from 'pg';
import { pino } from 'pino';
import { readConfig } from '../../config.ts';
import { createStorage } from '../../gateways/create-storage.ts';
import type { Storage } from '../../gateways/storage.ts';
import type { Encrypter } from '../../platform/encryption/encrypter.ts';
import { PROJECT_ROOT } from '../../project-root.ts';
import { createEncrypter, databasesOf, directOf, openDatabase } from '../../server/startup.ts';
import { exportApplications } from '../archive/export.ts';
import { type Counted, rowsOf } from '../archive/format.ts';
import { discardImport, importApplications } from '../archive/import.ts';
import { print } from './answer.ts';
import { onInterruption } from './interruption.ts';
import { optionalApplicationOption, readNamedFile, wholeNumber } from './options.ts';
import { createProgress, type Progress } from './progress.ts';

interface ArchiveOptions {
  application?: number;
  passphraseFile?: string;
  trust?: boolean;
}

interface Resources {
  databases: pg.ClientConfig[];
  databaseOf: (applicationId: number) => Promise<pg.ClientConfig>;
  storage: Storage;
  encrypter: Encrypter;
  progress: Progress;
  signal: AbortSignal;
}

const MAX_PRINTED_FILES = 20;
const PASSPHRASE = '--passphrase-file <file>';

export function addArchiveCommands(program: Command): void {
  program
    .command('export')
    .description('write applications with all data and files to one archive, from one snapshot of each database')
    .argument('<file>', 'path of the archive; must not exist')
    .addOption(optionalApplicationOption())
    .option(PASSPHRASE, 'encrypt secrets with the passphrase in this file instead of ENCRYPTION_KEY')
    .action(async (file: string, options: ArchiveOptions, command: Command) => {
      const passphrase = await readPassphrase(options);
      const answer = await work(options.application, async ({ progress, ...resources }) => {
        progress.begin('entries');
        const missing: string[] = [];
        const applications = await exportApplications({
          ...resources,
          path: resolve(file),
          applicationId: options.application,
          passphrase,
          version: await serviceVersion(),
          now: new Date(),
          onEntry: () => progress.advance(),
          onMissing: (applicationId, key) => {
            missing.push(key);
            if (missing.length > MAX_PRINTED_FILES) return;
            progress.say(`application ${applicationId}: file ${key} is missing in the storage`);
          },
        });
        return { file, applications: applications.map(present), missingFiles: missing.length };
      });
      await print({ value: answer }, { json: isJson(command) });
    });

  program
    .command('import')
    .description('import the applications of an archive; repeat the command to resume an interrupted import')
    .argument('<file>', 'path of the archive')
    .addOption(optionalApplicationOption())
    .option(PASSPHRASE, 'file with the passphrase of the archive')
    .option('--trust', 'keep values that only an operator may set: trusted assistants, endpoints and CAs of providers')
    .action(async (file: string, options: ArchiveOptions, command: Command) => {
      const passphrase = await readPassphrase(options);
      const answer = await work(
        options.application,
        async ({ progress, ...resources }) => {
          const { applications, isResumed, untrusted } = await importApplications({
            ...resources,
            path: resolve(file),
            applicationId: options.application,
            passphrase,
            isTrusted: options.trust === true,
            onBegin: (what, total) => progress.begin(`entries ${what === 'checking' ? 'checked' : 'stored'}`, total),
            onEntry: () => progress.advance(),
          });
          return { file, applications: applications.map(present), isResumed, untrusted };
        },
        { mayCreate: true },
      );
      await print({ value: answer }, { json: isJson(command) });
    });

  program
    .command('discard-import')
    .description('remove an unfinished import')
    .argument('<application>', 'id of the application', wholeNumber)
    .action(async (application: number, _options, command: Command) => {
      await work(application, (resources) => discardImport(application, resources));
      await print({ value: { discarded: application } }, { json: isJson(command) });
    });
}

async function work<Answer>(
  applicationId: number | undefined,
  task: (resources: Resources) => Promise<Answer>,
  { mayCreate = false } = {},
): Promise<Answer> {
  const { signal, forget } = onInterruption();
  const config = readConfig();
  const database = await openDatabase(config, { mayCreate });
  const progress = createProgress();
  try {
    const encrypter = await createEncrypter(config);
    const storage = await createStorage({ ...config, log: pino({ level: 'silent' }) });
    try {
      const databases = await databasesOf(database, applicationId);
      const databaseOf = (application: number) => directOf(database, application);
      return await task({ databases, databaseOf, storage, encrypter, progress, signal });
    } finally {
      storage.close();
    }
  } finally {
    progress.end();
    forget();
    await database.stop();
  }
}

function present(counted: Counted) {
  const { id, files } = counted;
  return { id, rows: rowsOf(counted), files: files.count, bytes: files.bytes };
}

async function readPassphrase({ passphraseFile }: ArchiveOptions): Promise<string | undefined> {
  if (passphraseFile === undefined) return undefined;
  const passphrase = (await readNamedFile('--passphrase-file', passphraseFile)).trim();
  if (passphrase === '') throw new Error('--passphrase-file: the file is empty');
  return passphrase;
}

async function serviceVersion(): Promise<string> {
  const text = await readFile(new URL('package.json', PROJECT_ROOT), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

function isJson(command: Command): boolean {
  return command.optsWithGlobals().json === true;
}
