import { AtriumError } from '../errors.ts';
import type { ResultOf } from '../generated/gql-tada.d.ts';
import { graphql } from '../schema.ts';
import type { Attachment } from './chat-types.ts';
import type { Core } from './core.ts';
import { webAddress } from './foreign-json.ts';

const CREATE = graphql(`mutation CreateFile($input: CreateBlobInput!) { createBlob(input: $input) {
  id uid blobObjectAccess { params }
} }`);
const COMPLETE = graphql(`mutation CompleteFile($id: Int!) { completeBlob(id: $id) { id uid name contentType size } }`);
const DELETE = graphql(`mutation DeleteFile($id: Int!) { deleteBlob(id: $id) }`);

const ADDRESSES = graphql(`query FileAddresses($files: [String!]!) {
  fileAddresses(files: $files) { url expiresAt }
}`);

type Address = NonNullable<ResultOf<typeof ADDRESSES>['fileAddresses'][number]>;

/** Of one request. */
const MAX_BATCH = 100;
/** Of the 15 minutes of an address. Not compared with `expiresAt`, because the clock of the device may be wrong. */
const REUSED_MS = 9 * 60_000;

/** Ids and uids of blobs. */
const BLOB = /^[\w-]+$/;

export interface StoredFile {
  id: number;
  /** Names the file in attachments and addresses; cannot be guessed. */
  uid: string;
  name: string;
  contentType: string;
  size: number;
}

export interface FileLink {
  url: string;
  /** No blob of the service: its host learns who loads it and when. Show such an image only if the user asks for it. */
  isForeign: boolean;
}

export interface FileAddress {
  url: string;
  /** Absent: never. */
  expiresAt?: Date;
}

export interface UploadOptions {
  /** Default: the name of the file, or `file`. */
  name?: string;
  /** Default: the type of the file. */
  contentType?: string;
  /** Readable without credentials. */
  isPublic?: boolean;
  /** Bytes sent and in total. */
  onProgress?: (progress: { loaded: number; total: number }) => void;
  signal?: AbortSignal;
}

/** Uploads files. */
export class Files {
  readonly #core: Core;
  readonly #base: URL;
  readonly #addresses = new Map<string, { address: Promise<FileAddress>; at: number }>();
  #token: string | undefined;
  #batch: { names: string[]; result: Promise<readonly (Address | null)[]> } | undefined;

  constructor(core: Core, base: URL) {
    this.#core = core;
    this.#base = base;
  }

  /** @throws {AtriumError} `UNREACHABLE`: the upload can be repeated */
  async upload(file: Blob, options: UploadOptions = {}): Promise<StoredFile> {
    const { name = (file as File).name || 'file', isPublic, onProgress, signal } = options;
    const contentType = options.contentType || file.type || 'application/octet-stream';
    const { client } = this.#core;
    const input = { name, contentType, public: isPublic ?? false };
    const { createBlob } = await client.mutate(CREATE, { input }, { signal });
    const form = new FormData();
    form.append('file', file, name);
    await post(createBlob.blobObjectAccess!.params, form, file.size, onProgress, signal);
    const { completeBlob } = await client.mutate(COMPLETE, { id: createBlob.id }, { idempotent: true, signal });
    return { ...completeBlob, size: completeBlob.size ?? file.size };
  }

  /**
   * Address of an attachment or of the photo of a dialog: of the blob that it names, or its own if that has the scheme
   * `http` or `https`. Undefined for all others, which a page must not link to. A private file needs `address`.
   */
  link(file: string | Pick<Attachment, 'id' | 'url'>): FileLink | undefined {
    const { id, url = '' } = typeof file === 'string' ? { id: file, url: file } : file;
    if (id !== undefined && BLOB.test(id)) return { url: new URL(`blobs/${id}`, this.#base).href, isForeign: false };
    const address = webAddress(url);
    return address && { url: address.href, isForeign: this.#blobAt(address.href) === undefined };
  }

  /**
   * Address for `<img src>` and links, which send no credentials. That of a private file opens only this file, for every
   * client that has it, and expires. @throws {AtriumError} `NOT_FOUND`
   */
  async address({ url }: Pick<FileLink, 'url'>): Promise<FileAddress> {
    const name = this.#blobAt(url);
    if (name === undefined) return { url };
    const token = this.#core.client.session?.token;
    if (token !== this.#token) this.#addresses.clear(); // those of another person
    this.#token = token;
    const cached = this.#addresses.get(name);
    if (cached && performance.now() - cached.at < REUSED_MS) return cached.address;
    const address = this.#requested(name);
    this.#addresses.set(name, { address, at: performance.now() });
    address.catch(() => this.#addresses.delete(name));
    return address;
  }

  /** The service is asked once for all files of a task, for example for the pictures of a list. */
  async #requested(name: string): Promise<FileAddress> {
    this.#batch ??= this.#newBatch();
    const batch = this.#batch;
    const place = batch.names.push(name) - 1;
    if (batch.names.length === MAX_BATCH) this.#batch = undefined;
    const found = (await batch.result)[place];
    if (!found) throw new AtriumError('NOT_FOUND', 'The file was not found');
    const { pathname, search } = new URL(found.url);
    // Where this client reaches the service.
    const url = new URL(`blobs/${pathname.slice(pathname.lastIndexOf('/') + 1)}${search}`, this.#base).href;
    return { url, ...(found.expiresAt !== null && { expiresAt: new Date(found.expiresAt) }) };
  }

  #newBatch() {
    const names: string[] = [];
    const result = Promise.resolve().then(async () => {
      if (this.#batch?.names === names) this.#batch = undefined;
      return (await this.#core.client.query(ADDRESSES, { files: names })).fileAddresses;
    });
    return { names, result };
  }

  /** Id or uid of the blob at an address of the service. */
  #blobAt(url: string): string | undefined {
    const root = new URL('blobs/', this.#base).href;
    const name = url.startsWith(root) ? url.slice(root.length) : '';
    return BLOB.test(name) ? name : undefined;
  }

  async delete(id: number): Promise<void> {
    await this.#core.client.mutate(DELETE, { id }, { idempotent: true });
  }
}

type Progress = UploadOptions['onProgress'];

/** Only `XMLHttpRequest` reports the progress of an upload. */
async function post(
  url: string,
  form: FormData,
  size: number,
  onProgress: Progress,
  signal?: AbortSignal,
): Promise<void> {
  signal?.throwIfAborted();
  const status =
    typeof XMLHttpRequest === 'undefined'
      ? await byFetch(url, form, signal)
      : await byXhr(url, form, onProgress, signal);
  if (status >= 400) {
    const code =
      status === 413
        ? 'UNPROCESSABLE'
        : status === 429
          ? 'RATE_LIMITED'
          : status >= 500
            ? 'UNREACHABLE'
            : 'BAD_USER_INPUT';
    throw new AtriumError(code, status === 413 ? 'The file is too large' : `The upload failed with HTTP ${status}`, {
      status,
    });
  }
  onProgress?.({ loaded: size, total: size });
}

async function byFetch(url: string, body: FormData, signal: AbortSignal | undefined): Promise<number> {
  try {
    return (await fetch(url, { method: 'POST', body, signal: signal ?? null })).status;
  } catch (error) {
    signal?.throwIfAborted();
    throw unreachable(error);
  }
}

function byXhr(url: string, form: FormData, onProgress: Progress, signal: AbortSignal | undefined): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    signal?.addEventListener('abort', abort);
    request.upload.onprogress = ({ loaded, total }) => onProgress?.({ loaded, total });
    request.onload = () => resolve(request.status);
    request.onerror = () => reject(unreachable());
    request.onabort = () => reject(signal?.reason ?? unreachable());
    request.onloadend = () => signal?.removeEventListener('abort', abort);
    request.open('POST', url);
    request.send(form);
  });
}

function unreachable(cause?: unknown): AtriumError {
  return new AtriumError('UNREACHABLE', 'The upload did not reach the service', { cause });
}
