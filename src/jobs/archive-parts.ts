import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { type OwnedJob, reservePart } from '../administration/jobs/lease.ts';
import { backupKey, type Storage } from '../gateways/storage.ts';

/** A store buffers a part on disk and limits the size of a file. */
const PART_BYTES = 64 * 1024 * 1024;

/** Writes an archive as several files. */
export class ArchiveParts {
  readonly #job: OwnedJob;
  readonly #storage: Storage;
  readonly #partBytes: number;
  readonly #hash = createHash('sha256');
  #bytes = 0;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(job: OwnedJob, storage: Storage, partBytes = PART_BYTES) {
    this.#job = job;
    this.#storage = storage;
    this.#partBytes = partBytes;
  }

  /** @throws {LostJobError} {ServiceUnavailableError} */
  store(chunks: AsyncIterable<Buffer>): Promise<void> {
    const writing = this.#store(chunks[Symbol.asyncIterator]());
    this.#writing = writing.catch(() => {});
    return writing;
  }

  /** Resolves when nothing is being written any more, also after a failure. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  stored(): { bytes: number; sha256: string } {
    return { bytes: this.#bytes, sha256: this.#hash.copy().digest('hex') };
  }

  async #store(source: AsyncIterator<Buffer>): Promise<void> {
    const { applicationId, id } = this.#job;
    let next = await source.next();
    const part = async function* (this: ArchiveParts): AsyncGenerator<Buffer> {
      for (let left = this.#partBytes; left > 0 && !next.done; ) {
        const chunk = next.value.subarray(0, left);
        const rest = next.value.subarray(left);
        left -= chunk.length;
        this.#hash.update(chunk);
        this.#bytes += chunk.length;
        yield chunk;
        next = rest.length > 0 ? { value: rest } : await source.next();
      }
    };
    for (let number = 1; !next.done; number++) {
      if (!(await reservePart(this.#job, number))) throw new LostJobError();
      const stream = Readable.from(part.call(this), { objectMode: false });
      await this.#storage.put(backupKey(applicationId, id, number), stream, { maxBytes: this.#partBytes });
    }
  }
}

/** Another process has ended the job, because this one did not renew its lease. */
export class LostJobError extends Error {}
