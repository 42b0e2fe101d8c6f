import { isKnown, type Viewer } from './access.ts';
import { BadInputError } from './errors.ts';
import { type Problem, problem } from './problems.ts';

/** Per operation, or per event of a subscription. */
export const MAX_RESPONSE_FIELDS = 100_000;
export const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;
/** Lower for unauthenticated callers, because the schema is the only large response they can read. */
export const MAX_ANONYMOUS_BYTES = 2 * 1024 * 1024;

const PUNCTUATION_BYTES = 4;
const SHORT_VALUE_BYTES = 8;

export class ResponseSize {
  readonly #maxBytes: number;
  #fields = 0;
  #bytes = 0;
  #problem: BadInputError | undefined;

  constructor(viewer: Viewer) {
    this.#maxBytes = isKnown(viewer) ? MAX_RESPONSE_BYTES : MAX_ANONYMOUS_BYTES;
  }

  get problem(): BadInputError | undefined {
    return this.#problem;
  }

  addField(name: string): boolean {
    this.#fields++;
    this.#bytes += name.length + PUNCTUATION_BYTES;
    if (this.#fields > MAX_RESPONSE_FIELDS)
      this.#refuse(problem('TOO_MANY_RESPONSE_FIELDS', { max: MAX_RESPONSE_FIELDS }));
    else if (this.#bytes > this.#maxBytes) this.#refuse(problem('RESPONSE_TOO_LARGE', { max: this.#maxBytes }));
    return this.#problem === undefined;
  }

  addValue(value: unknown): void {
    this.#bytes += approximateBytes(value);
    if (this.#bytes > this.#maxBytes) this.#refuse(problem('RESPONSE_TOO_LARGE', { max: this.#maxBytes }));
  }

  #refuse(limit: Problem): void {
    this.#problem ??= new BadInputError(limit);
  }
}

/** Approximate JSON length; ignores escapes. */
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
