import { createHash } from 'node:crypto';
import { createReadStream, type ReadStream } from 'node:fs';
import { createGunzip, type Gunzip } from 'node:zlib';
import { isKeyOf } from '../../gateways/storage.ts';
import { ArchiveError } from './archive-error.ts';
import {
  type ArchiveHeader,
  archiveHeader,
  type Counted,
  FORMAT,
  HEADER_NAME,
  MANIFEST_NAME,
  MAX_PART_BYTES,
  PART_BYTES,
  sha256,
  Tally,
} from './format.ts';
import { APPLICATIONS, type ArchivedTable, archivedTable } from './tables.ts';
import { damaged, type TarHeader, TarReader } from './tar.ts';

export interface RowsEntry {
  kind: 'rows';
  applicationId: number;
  table: ArchivedTable;
  columns: string[];
  rows: (string | null)[][];
}

export interface FileEntry {
  kind: 'file';
  applicationId: number;
  key: string;
  size: number;
  /** Must be read completely before the next entry. */
  content: AsyncIterable<Buffer>;
}

export type ArchiveEntry = RowsEntry | FileEntry;

const MAX_HEADER_BYTES = 1024 * 1024;

/** Rows and pictures have less than a tenth of it. Not of small archives, which may contain one file of zeros. */
const MAX_EXPANSION = 100;
const SMALL_BYTES = 64 * 1024 * 1024;

/** Treats the archive as untrusted input and holds only one part in memory. @throws {ArchiveError} any deviation */
export class ArchiveReader {
  readonly #source: ReadStream;
  readonly #unzipped: Gunzip;
  readonly #tar: TarReader;
  #tally!: Tally;
  header!: ArchiveHeader;
  id!: string;

  private constructor(path: string, isTrusted: boolean) {
    this.#source = createReadStream(path);
    this.#unzipped = createGunzip();
    this.#source.on('error', (error) => this.#unzipped.destroy(error));
    this.#source.pipe(this.#unzipped);
    this.#tar = new TarReader(isTrusted ? this.#unzipped : this.#bounded());
  }

  static async open(path: string, isTrusted: boolean): Promise<ArchiveReader> {
    const reader = new ArchiveReader(path, isTrusted);
    try {
      await plainly(() => reader.#readHeader());
      return reader;
    } catch (error) {
      reader.close();
      throw error;
    }
  }

  close(): void {
    this.#source.destroy();
    this.#unzipped.destroy();
  }

  async *entries(): AsyncGenerator<ArchiveEntry> {
    const left = [...this.header.applications];
    let current: number | undefined;
    for (;;) {
      const header = await plainly(() => this.#tar.next());
      if (header?.name === MANIFEST_NAME && left.length === 0) return plainly(() => this.#end(header));
      const place = header && placeOf(header.name);
      if (!header || !place) throw damaged();
      if (place.applicationId !== current) {
        if (place.applicationId !== left.shift() || place.table !== APPLICATIONS) throw damaged();
        current = place.applicationId;
      } else if (place.table === APPLICATIONS) {
        throw damaged();
      }
      if (place.key !== undefined) yield this.#file(header, place.applicationId, place.key);
      else yield await plainly(() => this.#rows(header, place.applicationId, place.table!));
    }
  }

  counted(): Counted[] {
    return this.#tally.manifest().applications;
  }

  async *#bounded(): AsyncGenerator<Buffer> {
    let bytes = 0;
    for await (const chunk of this.#unzipped as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > Math.max(SMALL_BYTES, MAX_EXPANSION * this.#source.bytesRead)) {
        throw new ArchiveError(`the archive expands to more than ${MAX_EXPANSION} times its size; --trust accepts it`);
      }
      yield chunk;
    }
  }

  async #readHeader(): Promise<void> {
    const entry = await this.#tar.next();
    if (entry?.name !== HEADER_NAME || entry.size > MAX_HEADER_BYTES) throw damaged();
    const content = await this.#tar.take(entry);
    const given = parseJson(content.toString()) as { format?: unknown } | null;
    const format = given?.format;
    if (typeof format === 'number' && format > FORMAT) {
      throw new ArchiveError(
        `the archive has format ${format}, and this service reads ${FORMAT}: use a newer version of the service`,
      );
    }
    const parsed = archiveHeader.safeParse(given);
    if (!parsed.success) throw damaged();
    this.header = parsed.data;
    this.#tally = new Tally(content);
  }

  async #rows(entry: TarHeader, applicationId: number, tableName: string): Promise<RowsEntry> {
    const table = archivedTable(tableName);
    if (!table)
      throw new ArchiveError(
        `the archive has an unknown table ${tableName}: it may require a newer version of the service`,
      );
    if (entry.size > MAX_PART_BYTES) throw damaged();
    const content = await this.#tar.take(entry);
    // The last row may be large; many small ones would need many times their size in memory.
    if (content.lastIndexOf('\n', -2) >= PART_BYTES) throw damaged();
    const [columns, ...rows] = linesOf(content);
    if (!columns?.every((name) => name !== null) || new Set(columns).size !== columns.length) throw damaged();
    if (rows.length === 0 || rows.some((row) => row.length !== columns.length)) throw damaged();
    if (tableName === APPLICATIONS && rows.length !== 1) throw damaged();
    this.#tally.addRows(applicationId, tableName, rows.length, content);
    return { kind: 'rows', applicationId, table, columns: columns as string[], rows };
  }

  async #end(entry: TarHeader): Promise<void> {
    const wanted = `${JSON.stringify(this.#tally.manifest(), null, 2)}\n`;
    if (entry.size !== Buffer.byteLength(wanted)) throw damaged();
    const manifest = await this.#tar.take(entry);
    if (manifest.toString() !== wanted || (await this.#tar.next())) throw damaged();
    this.id = sha256(manifest);
  }

  #file(entry: TarHeader, applicationId: number, key: string): FileEntry {
    return { kind: 'file', applicationId, key, size: entry.size, content: this.#content(entry, applicationId, key) };
  }

  async *#content(entry: TarHeader, applicationId: number, key: string): AsyncGenerator<Buffer> {
    const hash = createHash('sha256');
    const chunks = this.#tar.stream(entry);
    for (;;) {
      const { done, value } = await plainly(() => chunks.next());
      if (done) break;
      hash.update(value);
      yield value;
    }
    this.#tally.addFile(applicationId, { key, size: entry.size, sha256: hash.digest('hex') });
  }
}

interface EntryOwner {
  applicationId: number;
  table?: string;
  key?: string;
}

function placeOf(name: string): EntryOwner | undefined {
  const [, id, table, key] =
    /^([1-9]\d{0,9})\/(?:(\w{1,63})\/\d{6,9}\.ndjson|files\/([0-9a-f/]{44}))$/.exec(name) ?? [];
  const applicationId = Number(id);
  if (table !== undefined) return { applicationId, table };
  return key !== undefined && isKeyOf(applicationId, key) ? { applicationId, key } : undefined;
}

function linesOf(content: Buffer): (string | null)[][] {
  const lines = content.toString().split('\n');
  if (lines.pop() !== '') throw damaged();
  return lines.map((line) => {
    const values = parseJson(line);
    const isRow = Array.isArray(values) && values.every((value) => value === null || typeof value === 'string');
    if (!isRow) throw damaged();
    return values as (string | null)[];
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw damaged();
  }
}

async function plainly<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    throw String((error as NodeJS.ErrnoException).code).startsWith('Z_') ? damaged() : error;
  }
}
