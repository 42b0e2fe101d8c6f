import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import type { Logger } from 'pino';
import type { ByteRange } from '../lib/byte-ranges.ts';
import { ServiceError, ServiceUnavailableError } from '../lib/errors.ts';
import { MINUTE, SECOND } from '../lib/time.ts';
import { isOfDisk } from './disk-failures.ts';
import {
  folderOf,
  isKeyOf,
  Measuring,
  type PutSettings,
  requireStorageKey,
  type Storage,
  type Stored,
  type StoredFile,
} from './storage.ts';

export interface S3Settings {
  bucket: string;
  /** Of a store that is not AWS; its buckets are then paths, not hosts. */
  endpoint: string | undefined;
  region: string | undefined;
}

/** How long the store may take to begin an answer. */
const REQUEST_TIMEOUT_MS = 30 * SECOND;
/** The same where it is sent a file. */
const PUT_TIMEOUT_MS = 5 * MINUTE;
/** How often a file is sent before its upload fails: the SDK itself sends no stream again. */
const PUT_ATTEMPTS = 3;
const CHUNK_BYTES = 64 * 1024;

/**
 * Objects in a bucket of S3 or a store that speaks as it does, with the credentials of the SDK's usual environment. The
 * bucket is nobody's but ours: what its objects may be served as is known to their rows alone.
 *
 * A file lies on this machine before it is sent as one object with its length and checksum, so it is there whole or not
 * at all, and needs no more of a store than `PUT`, `GET` and `DELETE`; whoever checks it also lists it.
 */
export class S3Storage implements Storage {
  readonly #bucket: string;
  readonly #folder: string;
  readonly #client: S3Client;
  readonly #log: Logger;

  /** @param folder for files on their way */
  constructor({ bucket, endpoint, region }: S3Settings, folder: string, log: Logger) {
    this.#bucket = bucket;
    this.#folder = folder;
    this.#log = log;
    this.#client = new S3Client({
      ...(endpoint && { endpoint, forcePathStyle: true, region: 'us-east-1' }),
      ...(region && { region }),
      // Checksums of AWS' own kind, which other stores do not know, are sent only where S3 asks for them.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: { connectionTimeout: 5 * SECOND },
      logger: quiet(log),
    });
  }

  async put(key: string, stream: Readable, { maxBytes }: PutSettings): Promise<Stored> {
    requireStorageKey(key);
    const measuring = new Measuring(maxBytes);
    stream.on('error', () => {}); // it may fail before there is a file; the pipeline is told of it all the same
    const file = await openNameless(this.#folder).catch((error: unknown) => {
      stream.destroy();
      throw this.#diskError(error);
    });
    try {
      await pipeline(stream, measuring, async (chunks) => {
        // A single write to a disk that is nearly full stores a part, and says nothing of the rest.
        for await (const chunk of chunks) await file.appendFile(chunk as Buffer);
      });
      const stored = measuring.measured();
      await this.#send(key, file, stored);
      return stored;
    } catch (error) {
      throw this.#diskError(error);
    } finally {
      stream.destroy();
      await file.close();
    }
  }

  async get(key: string, range?: ByteRange): Promise<{ stream: Readable; size: number } | undefined> {
    requireStorageKey(key);
    const Range = range && `bytes=${range.start}-${range.end}`;
    try {
      const { Body, ContentLength, ContentRange } = await within(REQUEST_TIMEOUT_MS, (abortSignal) =>
        this.#client.send(new GetObjectCommand({ ...this.#location(key), Range }), { abortSignal }),
      );
      const size = Number(ContentRange?.split('/').at(-1) ?? ContentLength);
      return { stream: Body as Readable, size };
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      throw this.#storageError(error);
    }
  }

  async delete(key: string): Promise<void> {
    requireStorageKey(key);
    try {
      await within(REQUEST_TIMEOUT_MS, (abortSignal) =>
        this.#client.send(new DeleteObjectCommand(this.#location(key)), { abortSignal }),
      );
    } catch (error) {
      throw this.#storageError(error);
    }
  }

  async *list(applicationId: number): AsyncGenerator<StoredFile> {
    for await (const file of this.#listed(`${folderOf(applicationId)}/`)) {
      if (isKeyOf(applicationId, file.key)) yield file;
    }
  }

  async find(key: string): Promise<StoredFile | undefined> {
    requireStorageKey(key);
    for await (const file of this.#listed(key)) return file;
    return undefined;
  }

  close(): void {
    this.#client.destroy();
  }

  async *#listed(Prefix: string): AsyncGenerator<StoredFile> {
    for (let StartAfter: string | undefined; ; ) {
      const question = new ListObjectsV2Command({ Bucket: this.#bucket, Prefix, StartAfter });
      const page = await within(REQUEST_TIMEOUT_MS, (abortSignal) =>
        this.#client.send(question, { abortSignal }),
      ).catch((error: unknown) => {
        throw this.#storageError(error);
      });
      for (const { Key, Size, LastModified } of page.Contents ?? []) {
        yield { key: Key!, size: Size!, modifiedAt: LastModified!, isWhole: true };
      }
      if (!page.IsTruncated) return;
      StartAfter = page.Contents!.at(-1)!.Key!;
    }
  }

  #location(key: string) {
    return { Bucket: this.#bucket, Key: key };
  }

  async #send(key: string, file: FileHandle, { size, md5 }: Stored): Promise<void> {
    const about = { ContentLength: size, ContentMD5: Buffer.from(md5, 'hex').toString('base64') };
    for (let attempt = 1; ; attempt++) {
      const Body = Readable.from(chunksOf(file), { objectMode: false });
      try {
        await within(PUT_TIMEOUT_MS, (abortSignal) =>
          this.#client.send(new PutObjectCommand({ ...this.#location(key), ...about, Body }), { abortSignal }),
        );
        return;
      } catch (error) {
        const failure = this.#storageError(error);
        if (attempt === PUT_ATTEMPTS || isRefusal(error)) throw failure;
      } finally {
        Body.destroy();
      }
    }
  }

  #diskError(error: unknown): unknown {
    return isOfDisk(error) ? this.#storageError(error) : error;
  }

  /** What is no error of the caller is one of the store, of which the log alone is told. */
  #storageError(error: unknown): unknown {
    if (error instanceof ServiceError) return error;
    const { name, message } = error as Error;
    this.#log.warn({ name, message, status: statusOf(error) }, 'the storage failed');
    return new ServiceUnavailableError();
  }
}

/** The SDK's own words, which would go to the console else. What matters is told with the error. */
function quiet(log: Logger) {
  const trace = (...words: unknown[]) => log.trace({ words }, 'said by the SDK of S3');
  return { trace: trace, debug: trace, info: trace, warn: trace, error: trace };
}

/** A file that is gone when it is closed, or when this process ends in whatever way. */
async function openNameless(folder: string): Promise<FileHandle> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${randomUUID()}.part`);
  const file = await open(path, 'wx+', 0o600);
  await rm(path);
  return file;
}

/** From its beginning, however often; a stream of the handle's own would close it. */
async function* chunksOf(file: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Bounds how long an answer is waited for; once it has begun, it may take its time. */
async function within<Answer>(milliseconds: number, ask: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
  const impatience = new AbortController();
  const timer = setTimeout(() => impatience.abort(), milliseconds);
  try {
    return await ask(impatience.signal);
  } finally {
    clearTimeout(timer);
  }
}

function statusOf(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
}

/** Whether the store has understood and said no, as it would say again. */
function isRefusal(error: unknown): boolean {
  const status = statusOf(error);
  return status !== undefined && status >= 400 && status < 500 && status !== 429;
}
