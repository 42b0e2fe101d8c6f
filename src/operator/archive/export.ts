import { createHash } from 'node:crypto';
import { open, rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import pg from 'pg';
import { type CancellableSession, openCancellable } from '../../db/cancel.ts';
import { walk } from '../../db/walk.ts';
import type { Storage } from '../../gateways/storage.ts';
import type { Encrypter } from '../../platform/encryption/encrypter.ts';
import { DELETED } from '../../resolvers/applications/delete.ts';
import { atHome } from '../../resolvers/applications/list.ts';
import { ArchiveError } from './archive-error.ts';
import { namePlainly, readColumns, type TableColumns } from './columns.ts';
import { countItems } from './count.ts';
import { EncryptedSecrets } from './encrypted-secrets.ts';
import { fileKeys } from './files.ts';
import {
  type ArchiveHeader,
  type Counted,
  FILES,
  FORMAT,
  HEADER_NAME,
  MANIFEST_NAME,
  MAX_PART_BYTES,
  PART_BYTES,
  Tally,
} from './format.ts';
import { ARCHIVED, type ArchivedTable, conditionOf } from './tables.ts';
import { TAR_END, tarHeader, tarPadding } from './tar.ts';

export interface ArchiveOptions {
  applicationId: number | undefined;
  version: string;
  passphrase: string | undefined;
  /** Those that may store the applications. */
  databases: readonly pg.ClientConfig[];
  storage: Storage;
  encrypter: Encrypter;
  now: Date;
  signal: AbortSignal;
  /** Counts rows and files first, which reads the indexes of all tables. */
  onTotal?: (items: number) => void;
  onEntry: (applicationId: number, what: { rows: number } | { bytes: number }) => void;
  /** Awaited after each entry. */
  pace?: () => Promise<void>;
  /** Called for each file that a row references but the storage does not have. */
  onMissing: (applicationId: number, key: string) => void;
}

export interface ExportOptions extends ArchiveOptions {
  path: string;
}

/** The file is `<path>.part`, with mode 0600, until it is complete. @throws {ArchiveError} path exists */
export async function exportApplications({ path, ...options }: ExportOptions): Promise<Counted[]> {
  await requireAbsent(path);
  const unfinished = `${path}.part`;
  try {
    const counted = await writeArchive(options, async (chunks) => {
      await rm(unfinished, { force: true });
      const file = await open(unfinished, 'wx', 0o600);
      await pipeline(chunks, file.createWriteStream({ flush: true }));
    });
    await requireAbsent(path);
    await rename(unfinished, path);
    return counted;
  } catch (error) {
    await rm(unfinished, { force: true });
    throw options.signal.aborted ? new ArchiveError('stopped; no archive was written') : error;
  }
}

/** @param store consumes the bytes of the archive; after a failure its result is incomplete */
export async function writeArchive(
  options: ArchiveOptions,
  store: (chunks: AsyncIterable<Buffer>) => Promise<void>,
): Promise<Counted[]> {
  const { databases, signal } = options;
  const snapshots: CancellableSession[] = [];
  try {
    for (const database of databases) snapshots.push(await openCancellable(database, signal, beginSnapshot));
    const writer = await ArchiveWriter.create(
      snapshots.map(({ client }) => client),
      options,
    );
    const gzip = createGzip({ level: constants.Z_BEST_SPEED });
    const content = Readable.from(writer.content(), { objectMode: false });
    await pipeline(content, gzip, (chunks: AsyncIterable<Buffer>) => store(chunks), { signal });
    return writer.counted();
  } finally {
    for (const { close } of snapshots) await close();
  }
}

async function beginSnapshot(client: pg.Client): Promise<void> {
  await namePlainly(client);
  // A read-only transaction has no transaction id, so readers of the outbox do not wait for it to end.
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY');
}

class ArchiveWriter {
  /** By application. */
  readonly #clients: Map<number, pg.Client>;
  readonly #options: ArchiveOptions;
  readonly #secrets: EncryptedSecrets;
  readonly #tables: Map<string, TableColumns>;
  readonly #header: Buffer;
  readonly #tally: Tally;

  private constructor(
    clients: Map<number, pg.Client>,
    options: ArchiveOptions,
    about: { secrets: EncryptedSecrets; tables: Map<string, TableColumns>; header: ArchiveHeader },
  ) {
    this.#clients = clients;
    this.#options = options;
    this.#secrets = about.secrets;
    this.#tables = about.tables;
    this.#header = json(about.header);
    this.#tally = new Tally(this.#header);
  }

  static async create(snapshots: pg.Client[], options: ArchiveOptions): Promise<ArchiveWriter> {
    const { version, now, encrypter, passphrase, applicationId } = options;
    const clients = await findApplications(snapshots, applicationId);
    if (options.onTotal) options.onTotal(await countItems(clients, options.signal));
    const { secrets, encryption } = await EncryptedSecrets.create(encrypter, passphrase);
    const header: ArchiveHeader = {
      format: FORMAT,
      version,
      migration: await latestMigration(snapshots[0]!),
      createdAt: now.toISOString(),
      applications: [...clients.keys()],
      secrets: encryption,
    };
    return new ArchiveWriter(clients, options, { secrets, header, tables: await readColumns(snapshots[0]!) });
  }

  async *content(): AsyncGenerator<Buffer> {
    yield* this.#entry(HEADER_NAME, this.#header);
    for (const [id, client] of this.#clients) {
      for (const table of ARCHIVED) yield* this.#table(id, table);
      for await (const key of fileKeys(client, id)) yield* this.#file(id, key);
    }
    yield* this.#entry(MANIFEST_NAME, json(this.#tally.manifest()));
    yield TAR_END;
  }

  counted(): Counted[] {
    return this.#tally.manifest().applications;
  }

  async *#table(id: number, table: ArchivedTable): AsyncGenerator<Buffer> {
    const { columns, key } = this.#tables.get(table.name)!;
    const names = columns.map(({ name }) => name);
    const selected = names.map((name) => table.instead?.[name] ?? `t.${pg.escapeIdentifier(name)}`);
    const order = key.map((name) => `t.${pg.escapeIdentifier(name)}`);
    const select = `SELECT ${selected.join(', ')} FROM ${pg.escapeIdentifier(table.name)} t
      WHERE ${conditionOf(table, id)} ORDER BY ${order.join(', ')}`;
    const titles = line(names);
    let part = [titles];
    let bytes = titles.length;
    let number = 0;
    for await (const values of walk(this.#clients.get(id)!, select)) {
      const row = line(this.#secrets.toArchive(table, names, values));
      if (titles.length + row.length > MAX_PART_BYTES)
        throw new ArchiveError(`a row of ${table.name} exceeds ${MAX_PART_BYTES} bytes`);
      part.push(row);
      bytes += row.length;
      if (bytes < PART_BYTES) continue;
      yield* this.#part(id, table.name, ++number, part);
      part = [titles];
      bytes = titles.length;
    }
    if (part.length > 1) yield* this.#part(id, table.name, ++number, part);
  }

  async *#part(id: number, table: string, number: number, lines: Buffer[]): AsyncGenerator<Buffer> {
    const content = Buffer.concat(lines);
    const rows = lines.length - 1;
    this.#tally.addRows(id, table, rows, content);
    yield* this.#entry(`${id}/${table}/${String(number).padStart(6, '0')}.ndjson`, content);
    this.#options.onEntry(id, { rows });
    await this.#options.pace?.();
  }

  async *#file(id: number, key: string): AsyncGenerator<Buffer> {
    const { storage, now, onEntry, onMissing, pace } = this.#options;
    const found = await storage.get(key);
    if (!found) {
      onMissing(id, key);
      return;
    }
    const { stream, size } = found;
    yield tarHeader({ name: `${id}/${FILES}/${key}`, size }, now);
    const hash = createHash('sha256');
    let left = size;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      left -= chunk.length;
      hash.update(chunk);
      yield chunk;
    }
    if (left !== 0) throw new ArchiveError(`the storage did not return as many bytes of ${key} as it reported`);
    yield tarPadding(size);
    this.#tally.addFile(id, { key, size, sha256: hash.digest('hex') });
    onEntry(id, { bytes: size });
    await pace?.();
  }

  *#entry(name: string, content: Buffer): Generator<Buffer> {
    yield tarHeader({ name, size: content.length }, this.#options.now);
    yield content;
    yield tarPadding(content.length);
  }
}

async function requireAbsent(path: string): Promise<void> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (found) throw new ArchiveError(`${path} already exists`);
}

/** In the order of their ids. */
async function findApplications(snapshots: pg.Client[], wanted: number | undefined): Promise<Map<number, pg.Client>> {
  const found = await Promise.all(
    snapshots.map(async (client) => {
      const { rows } = await client.query<{ id: number; importId: string | null; movesTo: number | null }>(
        `SELECT id, import_id AS "importId", moves_to AS "movesTo" FROM applications
        WHERE ($1::int IS NULL OR id = $1) AND import_id IS DISTINCT FROM $2`,
        [wanted ?? null, DELETED],
      );
      return rows.map((row) => ({ ...row, client }));
    }),
  );
  const homes = atHome(found.flat());
  const unfinished = homes.find(({ importId }) => importId !== null);
  if (unfinished)
    throw new ArchiveError(`application ${unfinished.id} has an unfinished import: repeat it, or run discard-import`);
  if (homes.length === 0) {
    throw new ArchiveError(wanted === undefined ? 'there are no applications' : `application ${wanted} does not exist`);
  }
  return new Map(homes.map(({ id, client }) => [id, client]));
}

async function latestMigration(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT max(migration_name) AS name FROM "_prisma_migrations" WHERE rolled_back_at IS NULL',
  );
  return rows[0]!.name;
}

function json(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
}

function line(values: (string | null)[]): Buffer {
  return Buffer.from(`${JSON.stringify(values)}\n`);
}
