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
  return { name, contentType, size, content: new FileContent(storage, key, publicUrl() + path) };
}

/** REST streams the bytes; JSON contains their URL. */
export class FileContent {
  readonly #storage: Storage;
  readonly #key: string;
  readonly #url: string;

  constructor(storage: Storage, key: string, url: string) {
    this.#storage = storage;
    this.#key = key;
    this.#url = url;
  }

  /** @throws {NotFoundError} the file was deleted in the meantime */
  async open(range?: ByteRange): Promise<Readable> {
    const found = await this.#storage.get(this.#key, range);
    if (!found) throw new NotFoundError();
    return found.stream;
  }

  toJSON(): string {
    return this.#url;
  }
}
