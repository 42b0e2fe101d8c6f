import { readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import MiniSearch from 'minisearch';
import { escapeHtml } from '../../lib/escape-html.ts';
import { BUILT, htmlPage } from './layout.ts';
import { type StaticFile, served } from './static-files.ts';

const GUIDES = new URL('guides/', BUILT);

const TYPES: Record<string, string> = {
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.graphql': 'text/plain; charset=utf-8',
};

const MAX_RESULTS = 20;
const EXCERPT_LENGTH = 220;

/** What `packages/console/guides.ts` builds. Addresses are paths below `/guides/`. */
export interface BuiltGuides {
  pages: { address: string; title: string; body: string }[];
  files: string[];
  search: { fields: (keyof Section)[]; storeFields: (keyof Section)[] };
}

interface Section {
  /** With the anchor. */
  address: string;
  guide: string;
  title: string;
  text: string;
}

/** The Markdown files of the project as pages. The list is fixed, so that no path is built from a request. */
export class Guides {
  readonly #pages: ReadonlyMap<string, BuiltGuides['pages'][number]>;
  readonly #files: ReadonlySet<string>;
  readonly #options: BuiltGuides['search'];
  #search: MiniSearch<Section> | undefined;

  constructor({ pages, files, search }: BuiltGuides) {
    this.#pages = new Map(pages.map((page) => [page.address, page]));
    this.#files = new Set(files);
    this.#options = search;
  }

  static async load(): Promise<Guides> {
    return new Guides(JSON.parse(await read('guides.json')));
  }

  /** @param address path below `/guides/`; empty for the start page */
  async page(address: string): Promise<StaticFile | undefined> {
    if (this.#files.has(address)) {
      return served(TYPES[posix.extname(address)]!, await readFile(new URL(address, GUIDES)));
    }
    const page = this.#pages.get(address);
    if (!page) return undefined;
    const root = address === '' ? './' : '../'.repeat(address.split('/').length);
    const body = `${searchForm(root, '')}\n${page.body}`;
    return htmlPage({ title: `${page.title} – Atrium`, root, section: 'guides', body });
  }

  async results(query: string): Promise<StaticFile> {
    this.#search ??= MiniSearch.loadJSON<Section>(await read('search.json'), this.#options);
    const found = this.#search.search({
      queries: [query],
      prefix: true,
      fuzzy: 0.15,
      combineWith: 'AND',
      boost: { title: 3, guide: 2 },
    });
    const items = found.slice(0, MAX_RESULTS).map((result) => {
      const { address, guide, title, text } = result as unknown as Section;
      const name = title === guide ? guide : `${guide}: ${title}`;
      return `<li><a href="guides/${address}">${escapeHtml(name)}</a><p>${escapeHtml(excerpt(text, result.terms))}</p></li>`;
    });
    const list =
      items.length > 0 ? `<ul class="results">${items.join('')}</ul>` : '<p>No guide contains these words.</p>';
    const title = `Search: ${query}`;
    return htmlPage({
      title: `${title} – Atrium`,
      root: './',
      section: 'guides',
      body: `${searchForm('./', query)}<h1>${escapeHtml(title)}</h1>${list}`,
    });
  }
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

function searchForm(root: string, query: string): string {
  return `<form class="search" role="search" action="${root}guides"><label class="sr" for="q">Search the guides</label>
<input id="q" name="q" type="search" value="${escapeHtml(query)}" placeholder="Search the guides" required maxlength="200"><button>Search</button></form>`;
}
