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
  /** Of a store other than AWS; buckets are then paths, not hosts. */
  endpoint: string | undefined;
  region: string | undefined;
}

const REQUEST_TIMEOUT_MS = 30 * SECOND;
const PUT_TIMEOUT_MS = 5 * MINUTE;
/** Without a byte. Ends downloads that a client hardly reads; an export reads no file while it stores a part. */
const SOCKET_TIMEOUT_MS = PUT_TIMEOUT_MS;
/** More than `downloads` (src/rest/http/downloads.ts) admits, so that exports of archives have some, too. */
const MAX_DOWNLOADS = 500;
const MAX_OTHER_REQUESTS = 50;
/** The SDK does not retry streams. */
const PUT_ATTEMPTS = 3;
const CHUNK_BYTES = 64 * 1024;
const MAX_ERROR_BYTES = 64 * 1024;

/**
 * The bucket must be private: only database rows have the media types and permissions of its objects.
 *
 * A file is buffered on disk and sent as one object with length and checksum, so that it is stored completely or not at
 * all. This requires only `PUT`, `GET` and `DELETE` of a store; integrity checks also list it.
 */
export class S3Storage implements Storage {
  readonly #bucket: string;
  readonly #folder: string;
  readonly #client: S3Client;
  /** With connections of its own, because clients decide how long a download takes. */
  readonly #downloads: S3Client;
  readonly #log: Logger;

  constructor({ bucket, endpoint, region }: S3Settings, folder: string, log: Logger) {
    this.#bucket = bucket;
    this.#folder = folder;
    this.#log = log;
    const create = (maxSockets: number) => {
      const client = new S3Client({
        ...(endpoint && { endpoint, forcePathStyle: true, region: 'us-east-1' }),
        ...(region && { region }),
        // Other stores do not support checksums specific to AWS, so they are sent only where S3 requires them.
        requestChecksumCalculation: 'WHEN_REQUIRED',
        responseChecksumValidation: 'WHEN_REQUIRED',
        requestHandler: {
          connectionTimeout: 5 * SECOND,
          socketTimeout: SOCKET_TIMEOUT_MS,
          httpAgent: { maxSockets },
          httpsAgent: { maxSockets },
        },
        logger: quiet(log),
      });
      client.middlewareStack.add(
        (next) => async (args) => {
          const result = await next(args);
          boundError(result.response as RawResponse);
          return result;
        },
        { step: 'deserialize', priority: 'low' },
      );
      return client;
    };
    this.#client = create(MAX_OTHER_REQUESTS);
    this.#downloads = create(MAX_DOWNLOADS);
  }

  async put(key: string, stream: Readable, { maxBytes }: PutSettings): Promise<Stored> {
    requireStorageKey(key);
    const measuring = new Measuring(maxBytes);
    stream.on('error', () => {}); // it may fail before the file is open; the pipeline still gets the error
    const file = await openNameless(this.#folder).catch((error: unknown) => {
      stream.destroy();
      throw this.#diskError(error);
    });
    try {
      await pipeline(stream, measuring, async (chunks) => {
        // A single write to a nearly full disk may store only a part, without an error.
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
        this.#downloads.send(new GetObjectCommand({ ...this.#location(key), Range }), { abortSignal }),
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
    this.#downloads.destroy();
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

  #storageError(error: unknown): unknown {
    if (error instanceof ServiceError) return error;
    const { name, message } = error as Error;
    this.#log.warn(
      { name, message, status: statusOf(error) },
      'a request to the file storage failed; check STORAGE_URL and the store',
    );
    return new ServiceUnavailableError();
  }
}

interface RawResponse {
  statusCode: number;
  body: Readable;
}

/** The SDK reads the bodies of errors to their end. */
function boundError(response: RawResponse): void {
  if (response.statusCode >= 300) response.body = Readable.from(atMost(MAX_ERROR_BYTES, response.body));
}

async function* atMost(bytes: number, body: Readable): AsyncGenerator<Buffer> {
  let read = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    read += chunk.length;
    if (read > bytes) throw new Error('the body of an error is too long');
    yield chunk;
  }
}

function quiet(log: Logger) {
  const trace = (...words: unknown[]) => log.trace({ words }, 'S3 SDK');
  return { trace: trace, debug: trace, info: trace, warn: trace, error: trace };
}

/** A file that disappears when it is closed, or when the process dies. */
async function openNameless(folder: string): Promise<FileHandle> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${randomUUID()}.part`);
  const file = await open(path, 'wx+', 0o600);
  await rm(path);
  return file;
}

/** A stream of the handle would close it. */
async function* chunksOf(file: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Limits the time until the response begins, not its duration. */
async function within<Answer>(milliseconds: number, ask: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), milliseconds);
  try {
    return await ask(timeout.signal);
  } finally {
    clearTimeout(timer);
  }
}

function statusOf(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
}

function isRefusal(error: unknown): boolean {
  const status = statusOf(error);
  return status !== undefined && status >= 400 && status < 500 && status !== 429;
}
