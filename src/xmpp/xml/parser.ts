import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from 'saxes';
import { Element, NS } from './element.ts';
import { withoutForbidden } from './writer.ts';

export const MAX_STANZA_BYTES = 256 * 1024;
export const MAX_EARLY_STANZA_BYTES = 8 * 1024;
const MAX_DEPTH = 20;
const MAX_ELEMENTS = 2_000;
const MAX_ATTRIBUTES = 64;

/** Ends the stream. */
export class XmlError extends Error {
  readonly condition: 'not-well-formed' | 'policy-violation';

  constructor(condition: XmlError['condition'], message: string) {
    super(message);
    this.condition = condition;
  }
}

interface Receiver {
  /** The start tag of the root; only of a stream. */
  opened?: (root: Element) => void;
  /** An element is complete: the root of a document, or a child of the root of a stream. */
  completed: (element: Element) => void;
  /** The end tag of the root; only of a stream. */
  closed?: () => void;
}

/** Builds elements with limits. `saxes` refuses what is not well-formed, but has no limits. */
class Builder {
  readonly parser = new SaxesParser({ xmlns: true, position: false });
  maxElements = MAX_ELEMENTS;
  readonly #receiver: Receiver;
  readonly #isStream: boolean;
  #open: Element[] = [];
  #elements = 0;
  #attributes = 0;
  #isInTag = false;

  constructor(receiver: Receiver) {
    this.#receiver = receiver;
    this.#isStream = receiver.opened !== undefined;
    const { parser } = this;
    parser.on('opentagstart', () => {
      this.#attributes = 0;
      this.#isInTag = true;
    });
    parser.on('attribute', () => {
      if (++this.#attributes > MAX_ATTRIBUTES) throw new XmlError('policy-violation', 'too many attributes');
    });
    parser.on('opentag', (start) => this.#start(start));
    parser.on('closetag', () => this.#end());
    parser.on('text', (text) => this.#text(text));
    parser.on('cdata', (text) => this.#text(text));
    const refuse = (what: string) => () => {
      throw new XmlError('policy-violation', `${what} is not permitted`);
    };
    parser.on('doctype', refuse('a document type'));
    parser.on('comment', refuse('a comment'));
    parser.on('processinginstruction', refuse('a processing instruction'));
    if (!this.#isStream) parser.on('xmldecl', refuse('an XML declaration'));
  }

  /** Of a stream. */
  get isBetweenStanzas(): boolean {
    return this.#open.length === 1 && !this.#isInTag;
  }

  write(text: string): void {
    try {
      this.parser.write(withoutForbidden(text));
    } catch (error) {
      throw error instanceof XmlError ? error : new XmlError('not-well-formed', (error as Error).message);
    }
  }

  #start({ local, uri, attributes }: SaxesTagNS): void {
    this.#isInTag = false;
    if (++this.#elements > this.maxElements) throw new XmlError('policy-violation', 'too many elements');
    if (this.#open.length >= MAX_DEPTH) throw new XmlError('policy-violation', 'too deep');
    const element = new Element(local, uri === '' ? NS.client : uri, attributesOf(attributes));
    this.#open.push(element);
    if (!this.#isStream || this.#open.length > 1) return;
    this.#elements = 0;
    this.#receiver.opened!(element);
  }

  #end(): void {
    const element = this.#open.pop()!;
    const parent = this.#open.at(-1);
    if (parent && (!this.#isStream || this.#open.length > 1)) {
      parent.children.push(element);
    } else if (parent || !this.#isStream) {
      this.#elements = 0;
      this.#receiver.completed(element);
    } else {
      this.#receiver.closed!();
    }
  }

  #text(text: string): void {
    const parent = this.#open.at(-1);
    if (parent && (!this.#isStream || this.#open.length > 1)) parent.children.push(text);
    else if (text.trim() !== '') throw new XmlError('not-well-formed', 'text between stanzas');
  }
}

function attributesOf(attributes: Record<string, SaxesAttributeNS>): Record<string, string> {
  const read: Record<string, string> = Object.create(null);
  for (const { name, prefix, value } of Object.values(attributes)) {
    if (prefix === '' || prefix === 'xml') read[name] = value;
  }
  return read;
}

let parsed: Element | undefined;
let frames: Builder | undefined;

/** One parser for the frames of all sockets, because each frame is a document. @throws {XmlError} */
export function parseFrame(text: string, maxBytes: number, maxElements = MAX_ELEMENTS): Element {
  if (Buffer.byteLength(text) > maxBytes) throw new XmlError('policy-violation', 'too large');
  frames ??= new Builder({
    completed: (element) => {
      parsed = element;
    },
  });
  parsed = undefined;
  frames.maxElements = maxElements;
  try {
    frames.write(text);
    frames.parser.close();
    if (parsed) return parsed;
    throw new XmlError('not-well-formed', 'no element');
  } catch (error) {
    frames = undefined; // in the middle of a document
    throw error instanceof XmlError ? error : new XmlError('not-well-formed', (error as Error).message);
  }
}

/** The bytes of a TCP stream, which is one document. */
export class StreamParser {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  readonly #builder: Builder;
  /** Whether the last character was the end of a tag. */
  #isAtEnd = false;
  /** Of the stanza that is not complete. */
  #bytes = 0;
  maxBytes = MAX_EARLY_STANZA_BYTES;

  constructor(receiver: Required<Receiver>) {
    this.#builder = new Builder({
      ...receiver,
      completed: (element) => {
        this.#bytes = 0;
        receiver.completed(element);
      },
    });
  }

  /** @throws {XmlError} */
  write(chunk: Buffer): void {
    let text: string;
    try {
      text = this.#decoder.decode(chunk, { stream: true });
    } catch {
      throw new XmlError('not-well-formed', 'not UTF-8');
    }
    // In steps, so that the limit applies to stanzas, not to what arrives together.
    for (let start = 0; start < text.length; start += STEP) {
      const step = text.slice(start, start + STEP);
      // Keepalives of clients would otherwise add up.
      if (this.#isAtEnd && this.#builder.isBetweenStanzas && step.trim() === '') continue;
      this.#isAtEnd = step.trimEnd().endsWith('>');
      this.#bytes += Buffer.byteLength(step);
      this.#builder.write(step);
      if (this.#bytes > this.maxBytes + STEP) throw new XmlError('policy-violation', 'too large');
    }
  }
}

const STEP = 1024;
