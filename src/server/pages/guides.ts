import { readdir, readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import MarkdownIt from 'markdown-it';
import MiniSearch from 'minisearch';
import { escapeHtml } from '../../lib/escape-html.ts';
import { PROJECT_ROOT } from '../../project-root.ts';
import { htmlPage } from './layout.ts';
import { type ServedFile, served } from './served-files.ts';

const DOCS = 'docs/';
const START = 'docs/README.md';
const PROJECT_FILES = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'packages/client/README.md',
  'schema.graphql',
];

const IMAGE_TYPES: Record<string, string> = { '.svg': 'image/svg+xml', '.png': 'image/png' };
/** An item of a check list, which CommonMark does not know. */
const TASK = /^( *- )\[ \] /gm;

const MAX_RESULTS = 20;
const EXCERPT_LENGTH = 220;

interface Section {
  id: number;
  /** Path below `/guides/`, with the anchor. */
  address: string;
  guide: string;
  title: string;
  text: string;
}

/** The Markdown files of the project as pages. The list is read once, so that no path is built from a request. */
export class Guides {
  readonly #markdown = new MarkdownIt({ html: false, linkify: false });
  /** File in the project, by path below `/guides/`. */
  readonly #files = new Map<string, string>();
  #search: MiniSearch<Section> | undefined;

  static async load(): Promise<Guides> {
    const guides = new Guides();
    const inDocs = await readdir(new URL(DOCS, PROJECT_ROOT), { recursive: true });
    const documents = inDocs.filter((file) => ['.md', ...Object.keys(IMAGE_TYPES)].includes(posix.extname(file)));
    for (const file of [...documents.map((name) => `${DOCS}${name.replaceAll('\\', '/')}`), ...PROJECT_FILES]) {
      guides.#files.set(addressOf(file), file);
    }
    return guides;
  }

  /** @param address path below `/guides/`; empty for the start page */
  async page(address: string): Promise<ServedFile | undefined> {
    const file = this.#files.get(address);
    if (file === undefined) return undefined;
    const type = IMAGE_TYPES[posix.extname(file)];
    if (type) return served(type, await readFile(new URL(file, PROJECT_ROOT)));
    const text = await read(file);
    if (!file.endsWith('.md')) return served('text/plain; charset=utf-8', text);
    const root = rootOf(address);
    return htmlPage({
      title: `${titleOf(text)} – Atrium`,
      root,
      current: 'guides',
      body: `${searchForm(root, '')}\n${this.#render(text, file, `${root}guides`)}`,
    });
  }

  async results(query: string): Promise<ServedFile> {
    this.#search ??= await this.#index();
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
      current: 'guides',
      body: `${searchForm('./', query)}<h1>${escapeHtml(title)}</h1>${list}`,
    });
  }

  #render(text: string, file: string, guides: string): string {
    const tokens = this.#markdown.parse(text.replace(TASK, '$1☐ '), {});
    for (const [index, token] of tokens.entries()) {
      if (token.type === 'heading_open') token.attrSet('id', anchorOf(tokens[index + 1]!.content));
      for (const child of token.children ?? []) {
        const attribute = child.type === 'link_open' ? 'href' : 'src';
        const target = child.attrGet(attribute)?.toString();
        if (!target || !['link_open', 'image'].includes(child.type)) continue;
        const resolved = this.#resolve(target, file, guides);
        if (resolved === undefined) child.attrs = [];
        else child.attrSet(attribute, resolved);
      }
    }
    return this.#markdown.renderer
      .render(tokens, this.#markdown.options, {})
      .replaceAll('<table>', '<div class="table" tabindex="0"><table>')
      .replaceAll('</table>', '</table></div>')
      .replaceAll('<pre>', '<pre tabindex="0">');
  }

  /** @returns undefined for files that exist only in the repository */
  #resolve(target: string, file: string, guides: string): string | undefined {
    if (/^([a-z]+:|#)/i.test(target)) return target;
    const [path = '', anchor] = target.split('#');
    const address = addressOf(posix.join(posix.dirname(file), path));
    if (!this.#files.has(address)) return undefined;
    const page = address === '' ? guides : `${guides}/${address}`;
    return anchor === undefined ? page : `${page}#${anchor}`;
  }

  async #index(): Promise<MiniSearch<Section>> {
    const search = new MiniSearch<Section>({
      fields: ['guide', 'title', 'text'],
      storeFields: ['address', 'guide', 'title', 'text'],
    });
    let id = 0;
    for (const [address, file] of this.#files) {
      if (!file.endsWith('.md')) continue;
      const text = await read(file);
      const guide = titleOf(text);
      for (const part of text.split(/^(?=#{1,3} )/m)) {
        const [heading = '', ...lines] = part.split('\n');
        const title = heading.replace(/^#+ /, '');
        const anchor = heading.startsWith('# ') ? '' : `#${anchorOf(title)}`;
        search.add({ id: id++, address: address + anchor, guide, title, text: plain(lines.join(' ')) });
      }
    }
    return search;
  }
}

/** `docs/records.md` → `records`; `ARCHITECTURE.md` → `project/ARCHITECTURE`; other types keep their extension. */
function addressOf(file: string): string {
  if (file === START) return '';
  const path = file.startsWith(DOCS) ? file.slice(DOCS.length) : `project/${file}`;
  return path.replace(/\.md$/, '');
}

/** Pages have addresses without trailing slash: `guides`, `guides/records`, `guides/reference/cli`. */
function rootOf(address: string): string {
  return address === '' ? './' : '../'.repeat(address.split('/').length);
}

async function read(file: string): Promise<string> {
  return readFile(new URL(file, PROJECT_ROOT), 'utf8');
}

function titleOf(text: string): string {
  return /^# (.+)$/m.exec(text)?.[1] ?? 'Guide';
}

/** As GitHub derives it, so that links work in both places. */
function anchorOf(heading: string): string {
  return plain(heading)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function plain(markdown: string): string {
  return markdown
    .replaceAll(/\]\([^()]*\)/g, '')
    .replaceAll(/[`*|[]|--{2,}/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
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
