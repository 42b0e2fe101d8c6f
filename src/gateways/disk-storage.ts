import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Logger } from 'pino';
import type { ByteRange } from '../lib/byte-ranges.ts';
import { ServiceUnavailableError } from '../lib/errors.ts';
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

const WRITTEN_BYTES = 1024 * 1024;

export class DiskStorage implements Storage {
  readonly #folder: string;
  readonly #log: Logger | undefined;

  constructor(folder: string, log?: Logger) {
    this.#folder = folder;
    this.#log = log;
  }

  async put(key: string, stream: Readable, { maxBytes }: PutSettings): Promise<Stored> {
    const path = this.#pathOf(key);
    const unfinished = unfinishedOf(path);
    const measuring = new Measuring(maxBytes);
    stream.on('error', () => {}); // it may fail before the file is open; the pipeline still gets the error
    try {
      await makeFolder(dirname(path));
      const file = await open(unfinished, 'wx', 0o600);
      await pipeline(stream, measuring, file.createWriteStream({ flush: true, highWaterMark: WRITTEN_BYTES }));
      await rename(unfinished, path);
      await syncFolder(dirname(path));
      return measuring.measured();
    } catch (error) {
      stream.destroy();
      await rm(unfinished, { force: true });
      await rm(path, { force: true });
      throw this.#storageError(error);
    }
  }

  async get(key: string, range?: ByteRange): Promise<{ stream: Readable; size: number } | undefined> {
    try {
      const file = await open(this.#pathOf(key)).catch(unlessMissing);
      return file && (await contentOf(file, range));
    } catch (error) {
      throw this.#storageError(error);
    }
  }

  async delete(key: string): Promise<void> {
    const path = this.#pathOf(key);
    await rm(unfinishedOf(path), { force: true });
    await rm(path, { force: true });
    await syncFolder(dirname(path)).catch(unlessMissing);
  }

  async *list(applicationId: number): AsyncGenerator<StoredFile> {
    const folder = folderOf(applicationId);
    for (const part of await namesIn(join(this.#folder, folder))) {
      const names = await namesIn(join(this.#folder, folder, part));
      const keys = new Set(names.map((name) => `${folder}/${part}/${name.replace(UNFINISHED, '')}`));
      for (const key of keys) {
        const file = isKeyOf(applicationId, key) ? await this.find(key) : undefined;
        if (file) yield file;
      }
    }
  }

  async find(key: string): Promise<StoredFile | undefined> {
    const path = this.#pathOf(key);
    const whole = await stat(path).catch(unlessMissing);
    const found = whole ?? (await stat(unfinishedOf(path)).catch(unlessMissing));
    return found && { key, size: found.size, modifiedAt: found.mtime, isWhole: whole !== undefined };
  }

  close(): void {}

  #storageError(error: unknown): unknown {
    if (!isOfDisk(error)) return error;
    this.#log?.error({ err: error }, 'file storage: the disk failed; check its free space and health');
    return new ServiceUnavailableError();
  }

  #pathOf(key: string): string {
    requireStorageKey(key);
    return join(this.#folder, key);
  }
}

async function contentOf(file: FileHandle, range: ByteRange | undefined): Promise<{ stream: Readable; size: number }> {
  try {
    const { size } = await file.stat();
    return { stream: file.createReadStream({ ...range }), size };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Named after its file, so that deleting the file also removes the remains of a crash. */
function unfinishedOf(path: string): string {
  return `${path}.part`;
}

const UNFINISHED = /\.part$/;

async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let parent = dirname(folder); parent.length >= dirname(first).length; parent = dirname(parent)) {
    await syncFolder(parent);
    if (parent === dirname(parent)) return;
  }
}

/** Makes the names in a folder durable. Not on Windows, because it has no such call. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return ((await readdir(folder).catch(unlessMissing)) ?? []).sort();
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
