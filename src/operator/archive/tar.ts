import { ArchiveError } from './archive-error.ts';

// POSIX ustar with plain files only, so that a forged archive cannot use links, long names or extensions.

const BLOCK = 512;
const MAX_NAME = 100;
/** The largest number with eleven octal digits. */
const MAX_SIZE = 8 ** 11 - 1;
const PLAIN_FILE = '0';

export interface TarHeader {
  name: string;
  size: number;
}

export const TAR_END = Buffer.alloc(2 * BLOCK);

export function tarHeader({ name, size }: TarHeader, modified: Date): Buffer {
  if (Buffer.byteLength(name) > MAX_NAME || size > MAX_SIZE)
    throw new Error(`the name or size of ${name} does not fit into a tar header`);
  const block = Buffer.alloc(BLOCK);
  block.write(name, 0);
  block.write(octal(0o600, 8), 100);
  block.write(octal(0, 8), 108);
  block.write(octal(0, 8), 116);
  block.write(octal(size, 12), 124);
  block.write(octal(Math.floor(modified.getTime() / 1000), 12), 136);
  block.write(PLAIN_FILE, 156);
  block.write('ustar\x0000', 257);
  block.write(`${checksum(block).toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

export function tarPadding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}

/** Each entry must be consumed before the next. @throws {ArchiveError} anything that `tarHeader` would not write */
export class TarReader {
  readonly #bytes: ByteReader;

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#bytes = new ByteReader(chunks);
  }

  async next(): Promise<TarHeader | undefined> {
    const block = await this.#bytes.take(BLOCK);
    if (!block.every((byte) => byte === 0)) return parse(block);
    const end = await this.#bytes.take(BLOCK);
    if (!end.every((byte) => byte === 0) || !(await this.#bytes.isAtEnd())) throw damaged();
    return undefined;
  }

  async take({ size }: TarHeader): Promise<Buffer> {
    const content = await this.#bytes.take(size);
    await this.#skipPadding(size);
    return content;
  }

  async *stream({ size }: TarHeader): AsyncGenerator<Buffer> {
    yield* this.#bytes.stream(size);
    await this.#skipPadding(size);
  }

  async #skipPadding(size: number): Promise<void> {
    await this.#bytes.take(tarPadding(size).length);
  }
}

class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  async take(size: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of this.stream(size)) parts.push(part);
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }

  async *stream(size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0; ) {
      if (this.#rest.length === 0 && !(await this.#fill())) throw damaged();
      const part = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(part.length);
      left -= part.length;
      yield part;
    }
  }

  async isAtEnd(): Promise<boolean> {
    return this.#rest.length === 0 && !(await this.#fill());
  }

  async #fill(): Promise<boolean> {
    for (;;) {
      const { done, value } = await this.#chunks.next();
      if (done) return false;
      if (value.length === 0) continue;
      this.#rest = value;
      return true;
    }
  }
}

function parse(block: Buffer): TarHeader {
  const name = /^([\x21-\x7e]+)\0*$/.exec(block.toString('latin1', 0, MAX_NAME))?.[1];
  const size = /^([0-7]{11})[ \0]$/.exec(block.toString('latin1', 124, 136))?.[1];
  const sum = /^([0-7]{6})[ \0]{2}$/.exec(block.toString('latin1', 148, 156))?.[1];
  const isPlain = block.toString('latin1', 156, 157) === PLAIN_FILE && block.toString('latin1', 257, 262) === 'ustar';
  if (!name || !size || !sum || !isPlain || Number.parseInt(sum, 8) !== checksum(block)) throw damaged();
  return { name, size: Number.parseInt(size, 8) };
}

/** Sum of all bytes of the header, with its own field counted as blanks. */
function checksum(block: Buffer): number {
  return block.reduce((sum, byte, place) => sum + (place >= 148 && place < 156 ? 32 : byte), 0);
}

function octal(number: number, width: number): string {
  return `${number.toString(8).padStart(width - 1, '0')}\0`;
}

export function damaged(): ArchiveError {
  return new ArchiveError('the archive is damaged, or was not written by this service');
}
