import { createHash, type Hash } from 'node:crypto';
import { z } from 'zod';

// Entries: `archive.json`; for each application `<id>/<table>/<number>.ndjson` and `<id>/files/<storage key>`; at the
// end `manifest.json`. The first line of an `.ndjson` part lists the column names; each other line is a row with
// PostgreSQL's text of each value, or null.

/** Incremented when older services cannot read the new format. */
export const FORMAT = 1;

export const HEADER_NAME = 'archive.json';
export const MANIFEST_NAME = 'manifest.json';
export const FILES = 'files';

export const PART_BYTES = 1024 * 1024;
/** Limit of what is read into memory at once, because an archive is untrusted input. */
export const MAX_PART_BYTES = 64 * 1024 * 1024;

export const archiveHeader = z.strictObject({
  format: z.literal(FORMAT),
  version: z.string().max(100),
  migration: z.string().max(200),
  createdAt: z.iso.datetime(),
  applications: z.array(z.int().min(1).max(2_147_483_647)).min(1),
  secrets: z.discriminatedUnion('sealedWith', [
    z.strictObject({ sealedWith: z.literal('key'), proof: z.string().max(200) }),
    z.strictObject({
      sealedWith: z.literal('passphrase'),
      salt: z.string().regex(/^[0-9a-f]{32}$/),
      proof: z.string().max(200),
    }),
  ]),
});

export type ArchiveHeader = z.infer<typeof archiveHeader>;

export interface Counted {
  id: number;
  tables: Record<string, { rows: number; sha256: string }>;
  /** SHA-256 over the lines `<key> <size> <SHA-256>` of the files, in order. */
  files: { count: number; bytes: number; sha256: string };
}

export interface Manifest {
  header: string;
  applications: Counted[];
}

export class Tally {
  readonly #header: string;
  readonly #applications = new Map<number, { tables: Map<string, { rows: number; hash: Hash }>; files: FilesTally }>();

  constructor(header: Buffer) {
    this.#header = sha256(header);
  }

  addRows(applicationId: number, table: string, rows: number, content: Buffer): void {
    const { tables } = this.#of(applicationId);
    const counted = tables.get(table) ?? { rows: 0, hash: createHash('sha256') };
    tables.set(table, counted);
    counted.rows += rows;
    counted.hash.update(content);
  }

  addFile(applicationId: number, file: { key: string; size: number; sha256: string }): void {
    const { files } = this.#of(applicationId);
    files.count++;
    files.bytes += file.size;
    files.hash.update(`${file.key} ${file.size} ${file.sha256}\n`);
  }

  manifest(): Manifest {
    return {
      header: this.#header,
      applications: [...this.#applications].map(([id, { tables, files }]) => ({
        id,
        tables: Object.fromEntries(
          [...tables].map(([name, { rows, hash }]) => [name, { rows, sha256: hash.copy().digest('hex') }]),
        ),
        files: { count: files.count, bytes: files.bytes, sha256: files.hash.copy().digest('hex') },
      })),
    };
  }

  #of(applicationId: number) {
    const cached = this.#applications.get(applicationId);
    if (cached) return cached;
    const files = { count: 0, bytes: 0, hash: createHash('sha256') };
    const made = { tables: new Map<string, { rows: number; hash: Hash }>(), files };
    this.#applications.set(applicationId, made);
    return made;
  }
}

interface FilesTally {
  count: number;
  bytes: number;
  hash: Hash;
}

export function rowsOf({ tables }: Counted): number {
  return Object.values(tables).reduce((sum, { rows }) => sum + rows, 0);
}

export function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
