import type { Readable } from 'node:stream';
import type { Context } from '../../context.ts';
import type { Storage } from '../../gateways/storage.ts';
import type { ByteRange } from '../../lib/byte-ranges.ts';
import { NotFoundError } from '../../lib/errors.ts';

export interface ServedFile {
  name: string;
  contentType: string;
  size: number;
  content: FileContent;
}

/** Access must be checked before. */
export interface OwnedFile {
  key: string;
  name: string;
  contentType: string;
  size: number;
  /** REST path, URL-encoded: `/blobs/…`. */
  path: string;
}

export function servedFile(
  file: OwnedFile,
  { storage, publicUrl }: Pick<Context, 'storage' | 'publicUrl'>,
): ServedFile {
  const { key, name, contentType, size, path } = file;
  return { name, contentType, size, content: new FileContent(storage, { key, size }, publicUrl() + path) };
}

/** REST streams the bytes; JSON contains their URL. */
export class FileContent {
  readonly #storage: Storage;
  readonly #file: Pick<OwnedFile, 'key' | 'size'>;
  readonly #url: string;

  constructor(storage: Storage, file: Pick<OwnedFile, 'key' | 'size'>, url: string) {
    this.#storage = storage;
    this.#file = file;
    this.#url = url;
  }

  /**
   * @throws {NotFoundError} the file was deleted in the meantime, or does not have the size of its row, so that the bytes
   *    would continue into the next response
   */
  async open(range?: ByteRange): Promise<Readable> {
    const { key, size } = this.#file;
    const found = await this.#storage.get(key, range);
    if (found?.size === size) return found.stream;
    found?.stream.destroy();
    throw new NotFoundError();
  }

  toJSON(): string {
    return this.#url;
  }
}
