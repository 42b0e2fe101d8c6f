import { createHash, randomBytes } from 'node:crypto';
import { type Readable, Transform, type TransformCallback } from 'node:stream';
import type { ByteRange } from '../lib/byte-ranges.ts';
import { bodyTooLarge } from '../lib/errors.ts';

export interface PutSettings {
  maxBytes: number;
}

/** What was stored. */
export interface Stored {
  size: number;
  /** In hex. */
  md5: string;
}

/** An uploaded file that no row owns yet. */
export interface StagedFile extends Stored {
  applicationId: number;
  /** Storage key. */
  key: string;
  /** The client's name for it, not to be trusted; undefined: none given. */
  name: string | undefined;
  /** The client's media type, in lower case and without parameters. */
  contentType: string;
}

/** What lies in the storage. */
export interface StoredFile {
  key: string;
  /** Bytes. */
  size: number;
  modifiedAt: Date;
  /** False for what an interrupted `put` has left. */
  isWhole: boolean;
}

/**
 * Where the bytes of files lie. A key is made by `newStorageKey`, is written once, and holds all of its bytes or is not
 * there; who may read them and what they are called is not known here.
 */
export interface Storage {
  /**
   * Resolves once the bytes outlive a crash. After a failure nothing is under the key; after a crash `delete` takes
   * away what is left. The stream is destroyed if it is not read to its end.
   * @throws {BadInputError} 413 beyond `maxBytes` @throws {ServiceUnavailableError} the storage is away
   */
  put(key: string, stream: Readable, settings: PutSettings): Promise<Stored>;
  /** The bytes, all of them or those of a range inside the file, and the size of the whole; undefined: none there. */
  get(key: string, range?: ByteRange): Promise<{ stream: Readable; size: number } | undefined>;
  /** Removes the bytes and what an interrupted `put` has left; none there is fine. */
  delete(key: string): Promise<void>;
  /** What lies there of an application, in the order of keys, a few at a time. */
  list(applicationId: number): AsyncIterable<StoredFile>;
  /** What lies under one key, an interrupted `put`'s too; undefined: nothing. */
  find(key: string): Promise<StoredFile | undefined>;
  /** Ends its connections. */
  close(): void;
}

const STORAGE_KEY = /^[0-9a-f]{8}\/[0-9a-f]{2}\/[0-9a-f]{32}$/;

/** `0000005c/3f/3f…`: the application and 16 random bytes, which no other file has. */
export function newStorageKey(applicationId: number): string {
  const random = randomBytes(16).toString('hex');
  return `${folderOf(applicationId)}/${random.slice(0, 2)}/${random}`;
}

/** What all keys of an application begin with. */
export function folderOf(applicationId: number): string {
  return applicationId.toString(16).padStart(8, '0');
}

/** Whether a text is a key of that application's. */
export function isKeyOf(applicationId: number, key: string): boolean {
  return STORAGE_KEY.test(key) && Number.parseInt(key.slice(0, 8), 16) === applicationId;
}

/** Keys of ours and nothing else: no path of a client's can be one. */
export function requireStorageKey(key: string): void {
  if (!STORAGE_KEY.test(key)) throw new Error('not a key of the storage');
}

/** Bytes that may wait between two steps of an upload: with Node's few, each chunk would wait for the one before it. */
const BUFFERED_BYTES = 256 * 1024;

/** Lets bytes through, counting and hashing them. */
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

  /** Once the bytes have ended. */
  measured(): Stored {
    return { size: this.#size, md5: this.#md5.digest('hex') };
  }
}
