import type { Viewer } from './access.ts';
import { BadInputError } from './errors.ts';

/** Limits of the response to one operation, or to one event of a subscription. */
export const MAX_RESPONSE_FIELDS = 100_000;
export const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;
/** Of a caller without valid credentials, who has nothing large to read but the schema. */
export const MAX_ANONYMOUS_BYTES = 2 * 1024 * 1024;

/** Punctuation around a name or a value. */
const PUNCTUATION_BYTES = 4;
/** Of a number, a flag or a moment. */
const SHORT_VALUE_BYTES = 8;

/** Counts what a response holds while it is made. */
export class ResponseSize {
  readonly #maxBytes: number;
  #fields = 0;
  #bytes = 0;
  #problem: BadInputError | undefined;

  constructor(viewer: Viewer) {
    const isKnown = viewer.kind !== 'anonymous' && viewer.kind !== 'refused';
    this.#maxBytes = isKnown ? MAX_RESPONSE_BYTES : MAX_ANONYMOUS_BYTES;
  }

  /** Set once the response is too large. */
  get problem(): BadInputError | undefined {
    return this.#problem;
  }

  /** Counts a field with its name or alias; false when the response is too large for it. */
  addField(name: string): boolean {
    this.#fields++;
    this.#bytes += name.length + PUNCTUATION_BYTES;
    if (this.#fields > MAX_RESPONSE_FIELDS) this.#refuse(`${MAX_RESPONSE_FIELDS} fields`);
    else if (this.#bytes > this.#maxBytes) this.#refuse(`${this.#maxBytes} bytes`);
    return this.#problem === undefined;
  }

  /** Counts the value of a scalar, or a list of them. */
  addValue(value: unknown): void {
    this.#bytes += approximateBytes(value);
    if (this.#bytes > this.#maxBytes) this.#refuse(`${this.#maxBytes} bytes`);
  }

  #refuse(limit: string): void {
    this.#problem ??= new BadInputError(`The response is larger than ${limit}`);
  }
}

/** Bytes of a value as JSON, give or take escapes. */
function approximateBytes(value: unknown): number {
  if (typeof value === 'string') return value.length + PUNCTUATION_BYTES;
  if (typeof value !== 'object' || value === null) return SHORT_VALUE_BYTES;
  if (Array.isArray(value)) {
    if (typeof value[0] === 'number') return value.length * SHORT_VALUE_BYTES;
    return value.reduce((bytes: number, item) => bytes + approximateBytes(item), PUNCTUATION_BYTES);
  }
  let bytes = PUNCTUATION_BYTES;
  for (const [name, item] of Object.entries(value)) bytes += name.length + PUNCTUATION_BYTES + approximateBytes(item);
  return bytes;
}
