import type { ExecutionResult } from 'graphql';

const texts = new WeakMap<ExecutionResult, string>();

/** What stands in a message for the text until it is sent. */
const PLACE = '@';
const END = `"${PLACE}"}`;

let waiting: string | undefined;

/**
 * An answer that many subscribers share, written as JSON once. In a message it leaves a place, in which
 * `withSharedText` puts the text: a library in between writes each message as a whole.
 */
export class SharedText {
  readonly #text: string;

  constructor(result: ExecutionResult, show: (result: ExecutionResult) => ExecutionResult) {
    const known = texts.get(result);
    this.#text = known ?? JSON.stringify(show(result));
    if (known === undefined) texts.set(result, this.#text);
  }

  /** Whoever writes the message sends it at once, so no other comes in between. */
  toJSON(): string {
    waiting = this.#text;
    return PLACE;
  }
}

/** Keeps the text of an answer that is sent again and again. */
export function keepText(result: ExecutionResult, text: string): void {
  texts.set(result, text);
}

/** The message that has just been written, with the shared text in its place, if it has one at its end. */
export function withSharedText(message: string): string {
  const text = waiting;
  waiting = undefined;
  return text !== undefined && message.endsWith(END) ? `${message.slice(0, -END.length)}${text}}` : message;
}
