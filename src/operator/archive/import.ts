import { Readable } from 'node:stream';
import type pg from 'pg';
import { type CancellableSession, openCancellable } from '../../db/cancel.ts';
import { connectTo } from '../../db/connection.ts';
import type { Storage } from '../../gateways/storage.ts';
import type { Encrypter } from '../../platform/encryption/encrypter.ts';
import { ArchiveError } from './archive-error.ts';
import { isDataError, requireNoClash, requireValues, storable } from './check.ts';
import { namePlainly, readColumns, type TableColumns } from './columns.ts';
import { EncryptedSecrets } from './encrypted-secrets.ts';
import type { Counted } from './format.ts';
import {
  complete,
  type ImportProgress,
  progressOf,
  raiseSequences,
  requireRoom,
  storeFile,
  storeRows,
} from './import-progress.ts';
import { type ArchiveEntry, ArchiveReader, type RowsEntry } from './read.ts';
import { removeImport } from './remove.ts';
import { APPLICATIONS } from './tables.ts';
import type { Trust, UntrustedRow } from './trust.ts';

export interface ImportOptions {
  path: string;
  applicationId: number | undefined;
  passphrase: string | undefined;
  isTrusted: boolean;
  /** The one that stores an application, or is to store it. */
  databaseOf: (applicationId: number) => Promise<pg.ClientConfig>;
  storage: Storage;
  encrypter: Encrypter;
  signal: AbortSignal;
  /** `total` counts entries. */
  onBegin: (what: 'checking' | 'storing', total?: number) => void;
  onEntry: () => void;
}

export interface Imported {
  id: string;
  applications: Counted[];
  isResumed: boolean;
  untrusted: UntrustedRow[];
}

/** Advisory lock: one import at a time, because concurrent imports would conflict. */
const LOCK = 7_270_102;

/**
 * Checks the complete archive before it writes anything. The row of each application stores the progress, so that the
 * same command resumes. @throws {ArchiveError} damaged archive, wrong key, or an existing application
 */
export async function importApplications(options: ImportOptions): Promise<Imported> {
  const targets = new Map<pg.ClientConfig, Target>();
  try {
    for (const applicationId of await wantedOf(options)) {
      const database = await options.databaseOf(applicationId);
      if (!targets.has(database)) {
        const session = await openCancellable(database, options.signal, prepare);
        targets.set(database, { ...session, applicationIds: [], highest: new Map() });
      }
      targets.get(database)!.applicationIds.push(applicationId);
    }
    const [{ client }] = [...targets.values()] as [Target];
    return await new Import([...targets.values()], options, await readColumns(client)).run();
  } catch (error) {
    throw options.signal.aborted ? new ArchiveError('stopped; repeat the command to resume') : error;
  } finally {
    for (const { close } of targets.values()) await close();
  }
}

async function wantedOf({ path, isTrusted, applicationId: only }: ImportOptions): Promise<number[]> {
  const reader = await ArchiveReader.open(path, isTrusted);
  reader.close();
  const wanted = reader.header.applications.filter((id) => only === undefined || id === only);
  if (wanted.length === 0) throw new ArchiveError(`the archive does not contain application ${only}`);
  return wanted;
}

/** A database, and what is imported to it. */
interface Target extends CancellableSession {
  applicationIds: number[];
  /** Ids by sequence. */
  highest: Map<string, bigint>;
}

/** @throws {ArchiveError} no such application, or it is complete */
export async function discardImport(
  applicationId: number,
  { databaseOf, storage }: Pick<ImportOptions, 'databaseOf' | 'storage'>,
): Promise<void> {
  const client = await connectTo(await databaseOf(applicationId));
  try {
    await requireAlone(client);
    const { rows } = await client.query('SELECT FROM applications WHERE id = $1 AND import_id IS NOT NULL', [
      applicationId,
    ]);
    if (rows.length === 0) throw new ArchiveError(`application ${applicationId} has no unfinished import`);
    await removeImport(client, storage, applicationId);
  } finally {
    await client.end();
  }
}

async function prepare(client: pg.Client): Promise<void> {
  await namePlainly(client);
  await requireAlone(client);
}

async function requireAlone(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [LOCK]);
  if (!rows[0]!.locked) throw new ArchiveError('another import is running');
}

class Import {
  readonly #targets: readonly Target[];
  readonly #options: ImportOptions;
  readonly #tables: Map<string, TableColumns>;
  #secrets!: EncryptedSecrets;
  #entries = 0;
  readonly #applications: RowsEntry[] = [];
  /** Storage keys in the rows of the current application. */
  readonly #named = new Set<string>();
  readonly #trust: Trust;

  constructor(targets: readonly Target[], options: ImportOptions, tables: Map<string, TableColumns>) {
    this.#targets = targets;
    this.#options = options;
    this.#tables = tables;
    this.#trust = { isGiven: options.isTrusted, dropped: new Map() };
  }

  async run(): Promise<Imported> {
    const { id: archiveId, counted } = await this.#check();
    // Part of the id, so that an import cannot resume with a different `--trust` and end up half trusted.
    const id = this.#trust.isGiven ? `${archiveId} trusted` : archiveId;
    const places = await this.#progress();
    requireSame(places, id);
    for (const { applicationId, entries } of places) {
      if (entries < 0) await this.#remove(applicationId);
    }
    await this.#begin(id);
    await this.#store(id);
    for (const { client, applicationIds } of this.#targets) await complete(client, id, applicationIds);
    const isResumed = places.some(({ entries }) => entries >= 0);
    return { id, applications: counted, isResumed, untrusted: [...this.#trust.dropped.values()] };
  }

  async #check(): Promise<{ id: string; counted: Counted[] }> {
    const { path, encrypter, passphrase, onBegin, onEntry } = this.#options;
    const reader = await ArchiveReader.open(path, this.#trust.isGiven);
    try {
      requireUnfinished(await this.#progress());
      this.#secrets = await EncryptedSecrets.open(encrypter, reader.header.secrets, passphrase);
      onBegin('checking');
      for await (const entry of reader.entries()) {
        this.#options.signal.throwIfAborted();
        const target = this.#targetOf(entry.applicationId);
        if (target) await this.#checkEntry(entry, target);
        if (entry.kind === 'file') for await (const _chunk of entry.content);
        onEntry();
      }
      return { id: reader.id, counted: reader.counted().filter(({ id }) => this.#targetOf(id)) };
    } finally {
      reader.close();
    }
  }

  async #checkEntry(entry: ArchiveEntry, { client, highest }: Target): Promise<void> {
    this.#entries++;
    if (entry.kind === 'file') {
      if (this.#named.has(entry.key)) return;
      throw new ArchiveError(`the archive has a file that no row names: ${entry.key}`);
    }
    const { applicationId, table } = entry;
    const here = this.#tables.get(table.name)!;
    const rows = this.#storable(entry);
    await requireValues(client, rows);
    await requireNoClash(client, rows, { applicationId, globallyUnique: here.globallyUnique });
    for (const [place, { sequence }] of rows.columns.entries()) {
      if (!sequence) continue;
      const ofRows = rows.rows.reduce((most, row) => max(most, BigInt(row[place]!)), 0n);
      highest.set(sequence, max(highest.get(sequence) ?? 0n, ofRows));
    }
    if (table.name === APPLICATIONS) {
      this.#applications.push(entry);
      this.#named.clear();
    }
    for (const key of rows.files) this.#named.add(key);
  }

  /** Raises the sequences first, so that they generate no id that is yet to be stored. */
  async #begin(id: string): Promise<void> {
    for (const { client, highest } of this.#targets) {
      if (!this.#trust.isGiven) await requireRoom(client, highest);
      await raiseSequences(client, highest);
    }
    const known = await this.#progress();
    for (const entry of this.#applications) {
      if (known.some(({ applicationId }) => applicationId === entry.applicationId)) continue;
      await storeRows(this.#targetOf(entry.applicationId)!.client, this.#storable(entry), { importId: id });
    }
  }

  async #store(id: string): Promise<void> {
    const { path, onBegin, onEntry, signal } = this.#options;
    const places = new Map((await this.#progress()).map((place) => [place.applicationId, place]));
    const reader = await ArchiveReader.open(path, this.#trust.isGiven);
    try {
      onBegin('storing', this.#entries);
      for await (const entry of reader.entries()) {
        signal.throwIfAborted();
        const target = this.#targetOf(entry.applicationId);
        if (target) {
          await this.#storeEntry(entry, target, places.get(entry.applicationId)!);
          onEntry();
        }
        if (entry.kind === 'file') for await (const _chunk of entry.content);
      }
      if (!id.startsWith(reader.id)) throw new ArchiveError('the archive was modified during the import');
    } catch (error) {
      if (!isDataError(error)) throw error;
      for (const { applicationIds } of this.#targets)
        for (const applicationId of applicationIds) await this.#remove(applicationId);
      throw new ArchiveError(`the archive cannot be stored: ${(error as Error).message}; the import was removed`);
    } finally {
      reader.close();
    }
  }

  async #storeEntry(entry: ArchiveEntry, { client }: Target, place: ImportProgress): Promise<void> {
    place.seen++;
    if (place.seen <= place.entries) return;
    if (entry.kind === 'file') {
      await storeFile(client, this.#options.storage, { ...entry, content: Readable.from(entry.content) }, place);
    } else if (entry.table.name === APPLICATIONS) {
      await storeRows(client, undefined, place);
    } else {
      await storeRows(client, this.#storable(entry), place);
    }
  }

  #storable(entry: RowsEntry) {
    const parts = { secrets: this.#secrets, trust: this.#trust };
    return storable(entry, this.#tables.get(entry.table.name)!, parts);
  }

  /** @returns undefined: the application is not wanted */
  #targetOf(applicationId: number): Target | undefined {
    return this.#targets.find(({ applicationIds }) => applicationIds.includes(applicationId));
  }

  async #progress(): Promise<ImportProgress[]> {
    const read = ({ client, applicationIds }: Target) => progressOf(client, applicationIds);
    return (await Promise.all(this.#targets.map(read))).flat();
  }

  #remove(applicationId: number): Promise<void> {
    return removeImport(this.#targetOf(applicationId)!.client, this.#options.storage, applicationId);
  }
}

function requireUnfinished(places: ImportProgress[]): void {
  const existing = places.find(({ importId }) => importId === null);
  if (existing) throw new ArchiveError(`application ${existing.applicationId} already exists`);
}

function requireSame(places: ImportProgress[], id: string): void {
  const other = places.find(({ importId, entries }) => importId !== id && entries >= 0);
  if (!other) return;
  throw new ArchiveError(
    `application ${other.applicationId} has an unfinished import of another archive, or with another --trust: ` +
      `repeat that import, or run discard-import ${other.applicationId}`,
  );
}

function max(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
