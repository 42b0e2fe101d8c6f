/**
 * Ids, tokens and hashes: hex digits of their usual lengths, and numbers of nine digits (see `spreadIds`). Times have
 * ten digits or more.
 */
const NAMED =
  /(?<![0-9a-f])(?:[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{34}|[0-9a-f]{32}|[0-9a-f]{24}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{9})(?![0-9a-f])/g;

/** Random values of 32 bytes in base64url, and secrets of authenticator apps. */
const RANDOM = /(?<![\w-])[\w-]{43}(?![\w-])|(?<![A-Z2-7])[A-Z2-7]{32}(?![A-Z2-7])/g;

/** Signed with a random key, or encodes an id. */
const SIGNED = /(policy|signature)=[^&"]+/g;

/** Folders of files depend on the application and on chance. */
const FOLDERS = /[0-9a-f]{8}\/[0-9a-f]{2}\//g;

function replaced(text: string, nameOf: (id: string) => string): string {
  return text.replace(SIGNED, '$1=…').replace(RANDOM, '…').replace(FOLDERS, '…/').replace(NAMED, nameOf);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** Replaces each id by its order of appearance, so that fixtures can be compared. */
export class Names {
  readonly #places = new Map<string, string>();

  in(text: string): string {
    return replaced(text, (id) => {
      let name = this.#places.get(id);
      if (!name) {
        name = `#${this.#places.size + 1}`;
        this.#places.set(id, name);
      }
      return name;
    });
  }

  /** The same for unordered texts: sorts by their text without unknown ids, then by ids. */
  inAll(texts: string[]): string[] {
    const labelled = texts.map((text) => ({ text, said: replaced(text, (id) => this.#places.get(id) ?? '#') }));
    const inOrder = labelled.sort((a, b) => compare(a.said, b.said) || compare(a.text, b.text));
    return inOrder.map(({ text }) => this.in(text)).sort();
  }

  of(value: unknown): unknown {
    if (typeof value === 'string') return this.in(value);
    if (typeof value === 'number') return /^\d{9}$/.test(String(value)) ? this.in(String(value)) : value;
    if (Array.isArray(value)) return value.map((item) => this.of(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [this.in(key), this.of(item)]));
  }
}
