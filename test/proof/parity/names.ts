/**
 * Ids, tokens and hashes: hex digits of their usual lengths, and numbers of nine digits, which `spreadIds` sees to. Times
 * have ten digits or more.
 */
const NAMED =
  /(?<![0-9a-f])(?:[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{34}|[0-9a-f]{32}|[0-9a-f]{24}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{9})(?![0-9a-f])/g;

/** Addresses hold what was signed with a random key, or encodes such an id. */
const SIGNED = /(policy|signature)=[^&"]+/g;

/** Files lie in folders that are named for their application and by chance. */
const FOLDERS = /[0-9a-f]{8}\/[0-9a-f]{2}\//g;

function replaced(text: string, nameOf: (id: string) => string): string {
  return text.replace(SIGNED, '$1=…').replace(FOLDERS, '…/').replace(NAMED, nameOf);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** Gives each id of a fixture the name of its place among those that have come up, so that fixtures can be compared. */
export class Names {
  readonly #places = new Map<string, string>();

  /** The text with a name in place of each id. */
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

  /** The same for texts in no order: they come up in that of what else they say, then in that of their ids. */
  inAll(texts: string[]): string[] {
    const known = texts.map((text) => ({ text, said: replaced(text, (id) => this.#places.get(id) ?? '#') }));
    const inOrder = known.sort((a, b) => compare(a.said, b.said) || compare(a.text, b.text));
    return inOrder.map(({ text }) => this.in(text)).sort();
  }

  /** The same for all that a value holds, keys too. */
  of(value: unknown): unknown {
    if (typeof value === 'string') return this.in(value);
    if (typeof value === 'number') return /^\d{9}$/.test(String(value)) ? this.in(String(value)) : value;
    if (Array.isArray(value)) return value.map((item) => this.of(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [this.in(key), this.of(item)]));
  }
}
