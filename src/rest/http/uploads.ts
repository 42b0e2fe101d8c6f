import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { BusboyFileStream } from '@fastify/busboy';
import {
  MAX_KEYS,
  malformed,
  mergeParameters,
  type Parameters,
  parametersOf,
  parseQuery,
  tooComplex,
} from '../../lib/bracket-keys.ts';
import { bodyTooLarge } from '../../lib/errors.ts';
import { pipeBody } from '../../platform/http/request-body.ts';
import { decodeUtf8, mediaType, openBusboy, queryText, readParameters, unsupported } from './parameters.ts';

export interface FilePart {
  name: string | undefined;
  /** In lower case, without parameters. */
  contentType: string;
  stream: Readable;
}

export interface UploadSettings {
  maxBytes: number;
  /** Also limits a body that is not multipart. */
  maxTextBytes: number;
  /** Called at most once, with the query and the fields before the part. A failed request destroys the stream. */
  onFile: (before: Parameters, file: FilePart) => Promise<void>;
}

/** Resolves after `onFile` has settled. Skips other files. @throws {BadInputError} 413, 415, 400 @throws as `onFile` */
export async function readUpload(request: IncomingMessage, settings: UploadSettings): Promise<Parameters> {
  const { headers } = request;
  const contentType = headers['content-type'] ?? '';
  if (mediaType(contentType) !== 'multipart/form-data') {
    return readParameters(request, { maxBytes: settings.maxTextBytes });
  }
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') throw unsupported();
  return new UploadReader(request, contentType, settings).read();
}

interface TextPart {
  name: string;
  chunks: Buffer[];
  ended: Promise<void>;
}

class UploadReader {
  readonly #request: IncomingMessage;
  readonly #settings: UploadSettings;
  readonly #query: Parameters;
  readonly #busboy;
  readonly #parts: TextPart[] = [];
  #textBytes = 0;
  #file: Readable | undefined;
  #taken: Promise<void> | undefined;
  readonly #failure = new AbortController();

  constructor(request: IncomingMessage, contentType: string, settings: UploadSettings) {
    this.#request = request;
    this.#settings = settings;
    this.#query = parseQuery(queryText(request.url ?? ''));
    this.#busboy = openBusboy(contentType, { parts: MAX_KEYS + 1 });
  }

  async read(): Promise<Parameters> {
    const parsed = this.#parsed();
    parsed.catch((error) => this.#fail(error));
    const { signal } = this.#failure;
    try {
      await pipeBody(this.#request, this.#busboy, { maxBytes: this.#settings.maxBytes, signal });
      await parsed;
      await this.#taken;
      return this.#parameters(this.#parts);
    } catch (error) {
      this.#fail(error);
      await this.#taken?.catch(() => {});
      throw signal.reason;
    }
  }

  #fail(error: unknown): void {
    this.#failure.abort(error);
    this.#file?.destroy(this.#failure.signal.reason);
  }

  #parsed(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#busboy.on(
        'file',
        (name: string | undefined, stream: BusboyFileStream, fileName?: string, _encoding?: string, type?: string) => {
          stream.on('error', () => {
            if (!stream.errored) reject(malformed());
          });
          if (name === 'file' && !this.#taken)
            this.#takeFile({ name: fileName, contentType: type ?? '', stream }, reject);
          else if (name === undefined || fileName !== undefined) stream.resume();
          else this.#readText(name, stream, reject);
        },
      );
      this.#busboy.on('partsLimit', () => reject(tooComplex()));
      this.#busboy.on('error', () => reject(malformed()));
      this.#busboy.on('finish', () => resolve());
    });
  }

  #takeFile(file: FilePart, reject: (error: unknown) => void): void {
    this.#file = file.stream;
    const before = [...this.#parts];
    this.#taken = (async () => {
      // Fields before the file may still be incomplete.
      await Promise.all(before.map(({ ended }) => ended));
      await this.#settings.onFile(this.#parameters(before), file);
    })();
    this.#taken.catch(reject);
  }

  #readText(name: string, stream: Readable, reject: (error: unknown) => void): void {
    const chunks: Buffer[] = [];
    const ended = new Promise<void>((resolve) => stream.on('end', resolve));
    this.#parts.push({ name, chunks, ended });
    this.#textBytes += name.length;
    stream.on('data', (chunk: Buffer) => {
      this.#textBytes += chunk.length;
      if (this.#textBytes > this.#settings.maxTextBytes) reject(bodyTooLarge());
      else chunks.push(chunk);
    });
  }

  #parameters(parts: TextPart[]): Parameters {
    const fields = parts.map(({ name, chunks }) => [name, decodeUtf8(Buffer.concat(chunks))] as const);
    return mergeParameters(this.#query, parametersOf(fields));
  }
}
