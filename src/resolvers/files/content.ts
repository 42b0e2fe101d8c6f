import type { Readable } from 'node:stream';
import type { Context } from '../../context.ts';
import type { Storage } from '../../gateways/storage.ts';
import type { ByteRange } from '../../lib/byte-ranges.ts';
import { NotFoundError } from '../../lib/errors.ts';

/** A file that the caller may download. */
export interface ServedFile {
  name: string;
  contentType: string;
  /** Bytes. */
  size: number;
  content: FileContent;
}

/** A file of somebody's row, once it is known that the caller may have it. */
export interface OwnedFile {
  /** Of the storage. */
  key: string;
  name: string;
  contentType: string;
  size: number;
  /** Where REST serves it: `/blobs/…`, in its escaped form. */
  path: string;
}

export function servedFile(
  file: OwnedFile,
  { storage, publicUrl }: Pick<Context, 'storage' | 'publicUrl'>,
): ServedFile {
  const { key, name, contentType, size, path } = file;
  return { name, contentType, size, content: new FileContent(storage, key, publicUrl() + path) };
}

/** The bytes of a file: REST sends them, in JSON they are the address they can be loaded from. */
export class FileContent {
  readonly #storage: Storage;
  readonly #key: string;
  readonly #url: string;

  constructor(storage: Storage, key: string, url: string) {
    this.#storage = storage;
    this.#key = key;
    this.#url = url;
  }

  /** @throws {NotFoundError} the file has just been deleted */
  async open(range?: ByteRange): Promise<Readable> {
    const found = await this.#storage.get(this.#key, range);
    if (!found) throw new NotFoundError();
    return found.stream;
  }

  toJSON(): string {
    return this.#url;
  }
}
