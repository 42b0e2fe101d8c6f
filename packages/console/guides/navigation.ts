import { posix } from 'node:path';
import type { NavigationEntry, NavigationGroup } from '../../../src/server/pages/guide-navigation.ts';
import { addressOf, plain, REFERENCE, read, SCHEMA, START, titleOf } from './documents.ts';
import { markdown } from './markdown.ts';
import { referenceSections } from './reference.ts';

type Tokens = ReturnType<typeof markdown.parse>;

/** The lists of `docs/README.md`. Each is a group that the preceding heading or paragraph names, each item an entry. */
export function navigation(files: readonly string[]): NavigationGroup[] {
  const groups: NavigationGroup[] = [];
  let title = '';
  let entries: NavigationEntry[] = [];
  let entry: NavigationEntry | undefined;
  for (const { type, level, children, content } of markdown.parse(read(START), {})) {
    if (type === 'inline' && level === 1) title = content.replace(/:$/, '');
    if (/^(bullet|ordered)_list_open$/.test(type)) {
      entries = [];
      groups.push({ title, entries });
    }
    if (type === 'list_item_open') entry = undefined;
    if (type !== 'inline' || level === 1) continue;
    for (const { file, text } of linksIn(children ?? [])) {
      if (entry) {
        entry.children.push(pageOf(file));
        continue;
      }
      entry = { ...pageOf(file), title: text, children: childrenOf(file, files) };
      entries.push(entry);
    }
  }
  return groups;
}

function linksIn(tokens: Tokens): { file: string; text: string }[] {
  return tokens.flatMap((token, index) => {
    if (token.type !== 'link_open') return [];
    const end = tokens.findIndex(({ type }, at) => at > index && type === 'link_close');
    const text = tokens.slice(index + 1, end).map(({ content }) => content || ' ');
    return [{ file: posix.join('docs', String(token.attrGet('href'))), text: text.join('') }];
  });
}

function pageOf(file: string): NavigationEntry {
  if (file === SCHEMA) return { address: REFERENCE, title: 'GraphQL', children: [] };
  return { address: addressOf(file), title: plain(titleOf(read(file))), children: [] };
}

/** The other documents of the folder that a README describes, and the parts of the GraphQL reference. */
function childrenOf(file: string, files: readonly string[]): NavigationEntry[] {
  if (file === SCHEMA) return referenceSections;
  if (posix.basename(file) !== 'README.md' || posix.dirname(file) === '.') return [];
  const isBeside = (one: string) => posix.dirname(one) === posix.dirname(file) && one !== file && one.endsWith('.md');
  return files.filter(isBeside).map(pageOf);
}
