import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import pg from 'pg';
import { extract } from 'tar-stream';
import { onTestFinished } from 'vitest';
import { DiskStorage } from '../../src/gateways/disk-storage.ts';
import { exportApplications } from '../../src/operator/archive/export.ts';
import { importApplications } from '../../src/operator/archive/import.ts';
import { ARCHIVED } from '../../src/operator/archive/tables.ts';
import type { Encrypter } from '../../src/server/encryption/encrypter.ts';
import { running, SEALER } from './app.ts';
import { createDatabase } from './database.ts';

/** A service's belongings: what archives are written from and stored into. */
export interface Place {
  database: pg.ClientConfig;
  dataDir: string;
}

export interface ArchiveSettings {
  applicationId?: number;
  passphrase?: string;
  /** Keeps what only an operator may set; by default kept, as by an operator who restores a backup. */
  isTrusted?: boolean;
  encrypter?: Encrypter;
  /** Is waited for before each file is read. */
  beforeFile?: () => Promise<void>;
}

/** The one of the running test app. */
export function here(): Place {
  return { database: running.database.config, dataDir: running.dataDir };
}

/** An empty one, which goes with the test. */
export async function emptyPlace(): Promise<Place> {
  const database = await createDatabase();
  const dataDir = await temporaryFolder();
  onTestFinished(database.drop);
  return { database: database.config, dataDir };
}

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'atrium-archive-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** What the operator gives a process, so that it works there. */
export function envOf({ database, dataDir }: Place): Record<string, string> {
  return {
    DATABASE_URL: (database as { connectionString: string }).connectionString,
    DATA_DIR: dataDir,
    ENCRYPTION_KEY: '07'.repeat(32),
  };
}

/** Writes an archive of what is there. @returns files whose bytes were missing */
export async function writeArchive(path: string, place: Place, settings: ArchiveSettings = {}): Promise<string[]> {
  const missing: string[] = [];
  await exportApplications({
    path,
    applicationId: settings.applicationId,
    version: '0.0.0',
    passphrase: settings.passphrase,
    ...workplace(place, settings),
    now: new Date(),
    onEntry: () => {},
    onMissing: (_applicationId, key) => missing.push(key),
  });
  return missing;
}

export function storeArchive(path: string, place: Place, settings: ArchiveSettings = {}) {
  return importApplications({
    path,
    applicationId: settings.applicationId,
    passphrase: settings.passphrase,
    isTrusted: settings.isTrusted ?? true,
    ...workplace(place, settings),
    onBegin: () => {},
    onEntry: () => {},
  });
}

/** The entries of an archive as another tar reads them. */
export async function entriesOf(path: string): Promise<Map<string, Buffer>> {
  const entries = new Map<string, Buffer>();
  const tar = extract();
  const reading = pipeline(createReadStream(path), createGunzip(), tar);
  for await (const entry of tar) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(chunk as Buffer);
    entries.set(entry.header.name, Buffer.concat(chunks));
  }
  await reading;
  return entries;
}

/** All rows of all archived tables as text, without what is sealed anew wherever it is stored. */
export async function allRows({ database }: Place): Promise<Record<string, string[]>> {
  const client = new pg.Client(database);
  await client.connect();
  try {
    const tables: Record<string, string[]> = {};
    for (const { name, where = 'true', instead = {} } of ARCHIVED) {
      const changed = Object.entries(instead).map(([column, value]) => `|| jsonb_build_object('${column}', ${value})`);
      const { rows } = await client.query<{ row: string }>(
        `SELECT (to_jsonb(t) - $1::text[] ${changed.join(' ')})::text AS row FROM "${name}" t WHERE ${where} ORDER BY 1`,
        // Sessions are not archived, so devices lose theirs.
        [['sealed', 'sealed_api_key', 'session_id']],
      );
      tables[name] = rows.map(({ row }) => row);
    }
    return tables;
  } finally {
    await client.end();
  }
}

function workplace({ database, dataDir }: Place, { encrypter = SEALER, beforeFile = async () => {} }: ArchiveSettings) {
  const storage = new DiskStorage(join(dataDir, 'files'));
  const get = storage.get.bind(storage);
  storage.get = async (...wanted) => {
    await beforeFile();
    return get(...wanted);
  };
  return { database, storage, encrypter, signal: new AbortController().signal };
}
