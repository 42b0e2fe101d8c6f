import { readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import MiniSearch from 'minisearch';
import { escapeHtml } from '../../lib/escape-html.ts';
import { WeightedCache } from '../../lib/weighted-cache.ts';
import { type NavigationGroup, pager, rootOf, sidebar } from './guide-navigation.ts';
import { BUILT, htmlPage } from './layout.ts';
import type { Section } from './references.ts';
import { type StaticFile, served } from './static-files.ts';

const GUIDES = new URL('guides/', BUILT);

const TYPES: Record<string, string> = {
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.graphql': 'text/plain; charset=utf-8',
};

const MAX_RESULTS = 20;

/** Shorter words have to be whole ones, because nearly all sections have a word that begins with them. */
const MIN_PREFIX = 3;

const EXCERPT_LENGTH = 220;

/** Of pages and files in memory, with their compressed copies. */
const MAX_CACHED_BYTES = 8 * 1024 * 1024;

/** What `packages/console/guides` builds. Addresses are paths below `/guides/`. */
export interface BuiltGuides {
  groups: NavigationGroup[];
  /** `file` has the content; `section` is the entry of a page that the sidebar does not list. */
  pages: { address: string; title: string; file: string; section?: string }[];
  files: string[];
  assets: { script: string; style: string };
  search: { fields: (keyof Section)[]; storeFields: (keyof Section)[] };
}

/** Documentation. The list of pages is fixed, so that no path is built from a request. */
export class Guides {
  readonly #built: BuiltGuides;
  readonly #pages: ReadonlyMap<string, BuiltGuides['pages'][number]>;
  readonly #files: ReadonlySet<string>;
  readonly #references: () => Section[];
  readonly #cache = new WeightedCache<StaticFile>(MAX_CACHED_BYTES);
  #search: Promise<MiniSearch<Section>> | undefined;

  /** @param references further sections that the search finds; called on the first search */
  constructor(built: BuiltGuides, references: () => Section[]) {
    this.#built = built;
    this.#pages = new Map(built.pages.map((page) => [page.address, page]));
    this.#files = new Set(built.files);
    this.#references = references;
  }

  static async load(references: () => Section[]): Promise<Guides> {
    return new Guides(JSON.parse(await read('guides.json')), references);
  }

  /** @param address path below `/guides/`; empty for the start page */
  async page(address: string): Promise<StaticFile | undefined> {
    const known = this.#cache.get(address) ?? (await this.#read(address));
    if (known) this.#cache.set(address, known, weightOf(known));
    return known;
  }

  async #read(address: string): Promise<StaticFile | undefined> {
    if (this.#files.has(address)) {
      return served(TYPES[posix.extname(address)]!, await readFile(new URL(address, GUIDES)));
    }
    const page = this.#pages.get(address);
    if (!page) return undefined;
    const root = rootOf(address);
    const { groups, assets } = this.#built;
    return htmlPage({
      title: `${page.title} – Atrium`,
      root,
      section: 'guides',
      navigation: sidebar(groups, page, root),
      body: (await read(page.file)) + pager(groups, address, root),
      assets,
    });
  }

  /** A page with what the search finds. */
  async results(query: string): Promise<StaticFile> {
    const items = (await this.find(query)).map(
      ({ address, title, text }) =>
        `<li><a href="${escapeHtml(address)}">${escapeHtml(title)}</a><p>${escapeHtml(text)}</p></li>`,
    );
    const list =
      items.length > 0 ? `<ul class="results">${items.join('')}</ul>` : '<p>No page contains these words.</p>';
    const title = `Search: ${query}`;
    const body = `<article><h1>${escapeHtml(title)}</h1>${list}</article>`;
    const { groups, assets } = this.#built;
    const navigation = sidebar(groups, { address: '?' }, './');
    return htmlPage({ title: `${title} – Atrium`, root: './', section: 'guides', query, navigation, body, assets });
  }

  /** @returns the best sections first; addresses are relative to the root */
  async find(query: string): Promise<{ address: string; title: string; text: string }[]> {
    this.#search ??= this.#index().catch((error) => {
      this.#search = undefined;
      throw error;
    });
    const search = await this.#search;
    const found = search.search({
      queries: [...new Set(query.toLowerCase().split(/\s+/).filter(Boolean))],
      prefix: (term) => term.length >= MIN_PREFIX,
      fuzzy: 0.15,
      combineWith: 'AND',
      boost: { title: 3, guide: 2 },
    });
    return found.slice(0, MAX_RESULTS).map((result) => {
      const { address, guide, title, text } = result as unknown as Section;
      return { address, title: title === guide ? guide : `${guide}: ${title}`, text: excerpt(text, result.terms) };
    });
  }

  async #index(): Promise<MiniSearch<Section>> {
    const search = MiniSearch.loadJSON<Section>(await read('search.json'), this.#built.search);
    search.addAll(this.#references().map((section, index) => ({ id: `reference ${index}`, ...section })));
    return search;
  }
}

function weightOf({ bytes, compressed }: StaticFile): number {
  return [bytes, ...Object.values(compressed)].reduce((sum, { length }) => sum + length, 0);
}

function read(name: string): Promise<string> {
  return readFile(new URL(name, GUIDES), 'utf8');
}

function excerpt(text: string, terms: string[]): string {
  const places = terms.map((term) => text.toLowerCase().indexOf(term)).filter((place) => place >= 0);
  const first = Math.min(...places, text.length);
  const start = first === text.length || first < 60 ? 0 : text.indexOf(' ', first - 60) + 1;
  if (text.length <= start + EXCERPT_LENGTH) return `${start > 0 ? '… ' : ''}${text.slice(start)}`;
  const end = text.lastIndexOf(' ', start + EXCERPT_LENGTH);
  return `${start > 0 ? '… ' : ''}${text.slice(start, end)} …`;
}
