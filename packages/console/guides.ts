import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import MarkdownIt from 'markdown-it';
import MiniSearch from 'minisearch';
import type { Plugin } from 'vite';
import type { BuiltGuides } from '../../src/server/pages/guides.ts';

const ROOT = join(import.meta.dirname, '../..');
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
const DOCUMENT_TYPES = ['.md', '.svg', '.png'];

/** An item of a check list, which CommonMark does not know. */
const TASK = /^( *- )\[ \] /gm;

const SEARCH: BuiltGuides['search'] = {
  fields: ['guide', 'title', 'text'],
  storeFields: ['address', 'guide', 'title', 'text'],
};

/** Renders the Markdown files of the project for the pages at `/guides`, and indexes their sections. */
export function guides(): Plugin {
  return {
    name: 'guides',
    generateBundle() {
      // By address: the path below `/guides/`.
      const files = new Map(listFiles().map((file) => [addressOf(file), file]));
      const documents = [...files].filter(([, file]) => file.endsWith('.md'));
      const others = [...files].filter(([, file]) => !file.endsWith('.md'));
      const built: BuiltGuides = {
        pages: documents.map(([address, file]) => ({ address, title: titleOf(read(file)), body: render(file, files) })),
        files: others.map(([address]) => address),
        search: SEARCH,
      };
      const json = { 'guides.json': built, 'search.json': indexOf(documents) };
      for (const [name, value] of Object.entries(json)) {
        this.emitFile({ type: 'asset', fileName: `guides/${name}`, source: JSON.stringify(value) });
      }
      for (const [address, file] of others) {
        this.emitFile({ type: 'asset', fileName: `guides/${address}`, source: readFileSync(join(ROOT, file)) });
      }
    },
  };
}

function listFiles(): string[] {
  const documents = readdirSync(join(ROOT, DOCS), { recursive: true, encoding: 'utf8' })
    .filter((file) => DOCUMENT_TYPES.includes(posix.extname(file)))
    .map((file) => DOCS + file.replaceAll('\\', '/'));
  return [...documents.sort(), ...PROJECT_FILES];
}

/** `docs/records.md` → `records`; `ARCHITECTURE.md` → `project/ARCHITECTURE`; other types keep their extension. */
function addressOf(file: string): string {
  if (file === START) return '';
  const path = file.startsWith(DOCS) ? file.slice(DOCS.length) : `project/${file}`;
  return path.replace(/\.md$/, '');
}

const markdown = new MarkdownIt({ html: false, linkify: false });

/** Pages have addresses without trailing slash: `guides`, `guides/records`, `guides/reference/cli`. */
function render(file: string, files: ReadonlyMap<string, string>): string {
  const address = addressOf(file);
  const guides = `${address === '' ? './' : '../'.repeat(address.split('/').length)}guides`;
  const tokens = markdown.parse(read(file).replace(TASK, '$1☐ '), {});
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open') token.attrSet('id', anchorOf(tokens[index + 1]!.content));
    for (const child of token.children ?? []) {
      const attribute = child.type === 'link_open' ? 'href' : 'src';
      const target = child.attrGet(attribute)?.toString();
      if (!target || !['link_open', 'image'].includes(child.type)) continue;
      const resolved = resolve(target);
      if (resolved === undefined) child.attrs = [];
      else child.attrSet(attribute, resolved);
    }
  }
  return markdown.renderer
    .render(tokens, markdown.options, {})
    .replaceAll('<table>', '<div class="table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
    .replaceAll('<pre>', '<pre tabindex="0">');

  /** @returns undefined for files that exist only in the repository */
  function resolve(target: string): string | undefined {
    if (/^([a-z]+:|#)/i.test(target)) return target;
    const [path = '', anchor] = target.split('#');
    const address = addressOf(posix.join(posix.dirname(file), path));
    if (!files.has(address)) return undefined;
    const page = address === '' ? guides : `${guides}/${address}`;
    return anchor === undefined ? page : `${page}#${anchor}`;
  }
}

function indexOf(documents: [address: string, file: string][]): MiniSearch {
  const search = new MiniSearch(SEARCH);
  let id = 0;
  for (const [address, file] of documents) {
    const text = read(file);
    const guide = titleOf(text);
    for (const part of text.split(/^(?=#{1,3} )/m)) {
      const [heading = '', ...lines] = part.split('\n');
      const title = heading.replace(/^#+ /, '');
      const anchor = heading.startsWith('# ') ? '' : `#${anchorOf(title)}`;
      search.add({ id: id++, address: `guides/${address}${anchor}`, guide, title, text: plain(lines.join(' ')) });
    }
  }
  return search;
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
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

function plain(text: string): string {
  return text
    .replaceAll(/\]\([^()]*\)/g, '')
    .replaceAll(/[`*|[]|--{2,}/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
