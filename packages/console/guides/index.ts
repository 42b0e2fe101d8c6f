import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import MiniSearch from 'minisearch';
import type { Plugin, Rolldown } from 'vite';
import type { BuiltGuides } from '../../../src/server/pages/guides.ts';
import { addressOf, anchorOf, listFiles, plain, ROOT, read, titleOf } from './documents.ts';
import { renderDocument } from './markdown.ts';
import { navigation } from './navigation.ts';
import { referencePages } from './reference.ts';

const SEARCH: BuiltGuides['search'] = {
  fields: ['guide', 'title', 'text'],
  storeFields: ['address', 'guide', 'title', 'text'],
};

/** Renders the Markdown files of the project and the GraphQL schema for the pages at `/guides`, and indexes their sections. */
export function guides(): Plugin {
  return {
    name: 'guides',
    generateBundle(_options, bundle) {
      // By address: the path below `/guides/`.
      const files = new Map(listFiles().map((file) => [addressOf(file), file]));
      const documents = [...files].filter(([, file]) => file.endsWith('.md'));
      const others = [...files].filter(([, file]) => !file.endsWith('.md'));
      const pages = [
        ...documents.map(([address, file]) => {
          const text = read(file);
          return { address, title: plain(titleOf(text)), body: renderDocument(file, text, files) };
        }),
        ...referencePages(),
      ];
      const built: BuiltGuides = {
        groups: navigation([...files.values()]),
        pages: pages.map(({ body: _, ...page }) => ({ ...page, file: fileOf(page.address) })),
        files: others.map(([address]) => address),
        assets: assetsOf(bundle),
        search: SEARCH,
      };
      const emit = (name: string, source: string | Buffer) =>
        this.emitFile({ type: 'asset', fileName: `guides/${name}`, source });
      emit('guides.json', JSON.stringify(built));
      emit('search.json', JSON.stringify(indexOf(documents)));
      for (const { address, body } of pages) emit(fileOf(address), body);
      for (const [address, file] of others) emit(address, readFileSync(join(ROOT, file)));
    },
  };
}

function fileOf(address: string): string {
  return `pages/${address === '' ? 'index' : address}.html`;
}

/** The script of the guides, and its styles. */
function assetsOf(bundle: Rolldown.OutputBundle): BuiltGuides['assets'] {
  const names = Object.keys(bundle);
  const find = (pattern: RegExp) => names.find((name) => pattern.test(name))!;
  return { script: find(/^assets\/guides-[^/]*\.js$/), style: find(/^assets\/guides-[^/]*\.css$/) };
}

function indexOf(documents: [address: string, file: string][]): MiniSearch {
  const search = new MiniSearch(SEARCH);
  let id = 0;
  for (const [address, file] of documents) {
    const text = read(file);
    const guide = titleOf(text);
    for (const part of text.split(/^(?=#{1,3} )/m)) {
      const [heading = '', ...lines] = part.split('\n').filter((line) => !line.startsWith('```'));
      const title = heading.replace(/^#+ /, '');
      const anchor = heading.startsWith('# ') ? '' : `#${anchorOf(title)}`;
      search.add({ id: id++, address: `guides/${address}${anchor}`, guide, title, text: plain(lines.join(' ')) });
    }
  }
  return search;
}
