import { createHash, type Hash } from 'node:crypto';
import { z } from 'zod';

// `archive.json`; for each application `<id>/<table>/<number>.ndjson` and `<id>/files/<key of the storage>`; at the end
// `manifest.json`. The first line of each part of a table names its columns, each further one is a row: PostgreSQL's own
// text of each value, or null.

/** Grows when an older service could not read what is written. */
export const FORMAT = 1;

export const HEADER_NAME = 'archive.json';
export const MANIFEST_NAME = 'manifest.json';
export const FILES = 'files';

/** Bytes after which a part of a table ends; one row may be longer. */
export const PART_BYTES = 1024 * 1024;
/** What is read into memory at once of an archive that anybody may have made up. */
export const MAX_PART_BYTES = 64 * 1024 * 1024;

export const archiveHeader = z.strictObject({
  format: z.literal(FORMAT),
  /** Of the service that wrote it. */
  version: z.string().max(100),
  /** The latest migration of its database. */
  migration: z.string().max(200),
  createdAt: z.iso.datetime(),
  applications: z.array(z.int().min(1).max(2_147_483_647)).min(1),
  /** What secrets are sealed with: the service's ENCRYPTION_KEY, or a passphrase with this salt. */
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

/** What there is of one application. */
export interface Counted {
  id: number;
  tables: Record<string, { rows: number; sha256: string }>;
  /** SHA-256 over a line `<key> <size> <SHA-256>` of each. */
  files: { count: number; bytes: number; sha256: string };
}

export interface Manifest {
  /** SHA-256 of `archive.json`. */
  header: string;
  applications: Counted[];
}

/** Counts and hashes what goes into an archive, or comes out of it, in the order in which it does. */
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
    const known = this.#applications.get(applicationId);
    if (known) return known;
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

/** The rows of an application, of all its tables. */
export function rowsOf({ tables }: Counted): number {
  return Object.values(tables).reduce((sum, { rows }) => sum + rows, 0);
}

export function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
