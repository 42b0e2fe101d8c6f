import { createHash, randomBytes } from 'node:crypto';
import { type Readable, Transform, type TransformCallback } from 'node:stream';
import type { ByteRange } from '../lib/byte-ranges.ts';
import { bodyTooLarge } from '../lib/errors.ts';

export interface PutSettings {
  maxBytes: number;
}

export interface Stored {
  size: number;
  md5: string;
}

export interface StagedFile extends Stored {
  applicationId: number;
  key: string;
  /** Untrusted. */
  name: string | undefined;
  /** Untrusted; in lower case and without parameters. */
  contentType: string;
}

export interface StoredFile {
  key: string;
  size: number;
  modifiedAt: Date;
  /** False for the remains of an interrupted `put`. */
  isWhole: boolean;
}

/** A key is written once, and has all of its bytes or does not exist. Names and permissions are stored elsewhere. */
export interface Storage {
  /**
   * Resolves when the bytes survive a crash. A failed `put` leaves nothing; after a crash `delete` removes the remains.
   * The stream is destroyed unless it was read completely.
   * @throws {BadInputError} 413 beyond `maxBytes`
   * @throws {ServiceUnavailableError} the storage is unavailable
   */
  put(key: string, stream: Readable, settings: PutSettings): Promise<Stored>;
  /** `size` is that of the complete file; undefined if it does not exist. */
  get(key: string, range?: ByteRange): Promise<{ stream: Readable; size: number } | undefined>;
  /** Removes the file and the remains of an interrupted `put`. */
  delete(key: string): Promise<void>;
  /** In the order of keys. */
  list(applicationId: number): AsyncIterable<StoredFile>;
  /** Also finds the remains of an interrupted `put`. */
  find(key: string): Promise<StoredFile | undefined>;
  close(): void;
}

const STORAGE_KEY = /^[0-9a-f]{8}\/[0-9a-f]{2}\/[0-9a-f]{32}$/;
const BACKUP_KEY = /^backups\/[0-9a-f]{8}\/[0-9a-f]{24}-\d{6}$/;

/** `0000005c/3f/3f…`: the application and 16 random bytes, so that keys are unique. */
export function newStorageKey(applicationId: number): string {
  const random = randomBytes(16).toString('hex');
  return `${folderOf(applicationId)}/${random.slice(0, 2)}/${random}`;
}

export function folderOf(applicationId: number): string {
  return applicationId.toString(16).padStart(8, '0');
}

export function isKeyOf(applicationId: number, key: string): boolean {
  return STORAGE_KEY.test(key) && Number.parseInt(key.slice(0, 8), 16) === applicationId;
}

/**
 * `backups/0000005c/65f…-000001`: a part of the archive of a job, from 1. No row of an application can name it, because
 * `isKeyOf` is false, and `list` does not return it.
 */
export function backupKey(applicationId: number, jobId: string, part: number): string {
  return `backups/${folderOf(applicationId)}/${jobId}-${String(part).padStart(6, '0')}`;
}

/** Whether it is a key of a file or of an archive of the application. */
export function ownsKey(applicationId: number, key: string): boolean {
  return isKeyOf(applicationId, key) || (BACKUP_KEY.test(key) && key.startsWith(`backups/${folderOf(applicationId)}/`));
}

/** Rejects everything except generated keys, so that input from a client can never be a path. */
export function requireStorageKey(key: string): void {
  if (!STORAGE_KEY.test(key) && !BACKUP_KEY.test(key)) throw new Error('invalid storage key');
}

/** With Node's smaller default each chunk would wait for the previous one. */
const BUFFERED_BYTES = 256 * 1024;

export class Measuring extends Transform {
  readonly #maxBytes: number;
  readonly #md5 = createHash('md5');
  #size = 0;

  constructor(maxBytes: number) {
    super({ highWaterMark: BUFFERED_BYTES });
    this.#maxBytes = maxBytes;
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    this.#size += chunk.length;
    this.#md5.update(chunk);
    if (this.#size > this.#maxBytes) done(bodyTooLarge());
    else done(null, chunk);
  }

  measured(): Stored {
    return { size: this.#size, md5: this.#md5.digest('hex') };
  }
}
