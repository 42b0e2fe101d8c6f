import { posix } from 'node:path';
import MarkdownIt, { type Token } from 'markdown-it';
import { escapeHtml } from '../../../src/lib/escape-html.ts';
import { addressOf, anchorOf, pathToGuides, plain, REFERENCE, SCHEMA, START } from './documents.ts';
import { highlight } from './highlight.ts';
import { startPage } from './start.ts';

/** An item of a check list, which CommonMark does not know. */
const TASK = /^( *- )\[ \] /gm;

/** Consecutive fences with it, such as `sh tab=curl`, show the same in several languages. */
const TAB = /\btab=(\S+)/;

/** With fewer, a page has no table of contents. */
const MIN_HEADINGS = 2;

export interface Heading {
  level: 2 | 3;
  id: string;
  text: string;
}

export const markdown = new MarkdownIt({ html: false, linkify: false });
const { rules } = markdown.renderer;

rules.fence = (tokens, index) => {
  if (tabOf(tokens[index]!) === undefined) return codeBlock(tokens[index]!);
  if (index > 0 && tabOf(tokens[index - 1]!) !== undefined) return '';
  const end = tokens.findIndex((token, at) => at > index && tabOf(token) === undefined);
  return tabs(tokens.slice(index, end < 0 ? undefined : end), index);
};
rules.code_block = (tokens, index) => codeBlock(tokens[index]!);
rules.table_open = () => '<div class="table" tabindex="0"><table>\n';
rules.table_close = () => '</table></div>\n';
rules.heading_open = (tokens, index) => {
  const { tag } = tokens[index]!;
  return `${tag === 'h1' ? '' : '<div class="heading">'}<${tag} id="${tokens[index]!.attrGet('id')}">`;
};
rules.heading_close = (tokens, index) => {
  const { tag } = tokens[index]!;
  const link = headingLink(String(tokens[index - 2]!.attrGet('id')), plain(tokens[index - 1]!.content));
  return `</${tag}>${tag === 'h1' ? '' : `${link}</div>`}\n`;
};

/** @param files by address */
export function renderDocument(file: string, text: string, files: ReadonlyMap<string, string>): string {
  const guides = pathToGuides(addressOf(file));
  const tokens = markdown.parse(text.replace(TASK, '$1☐ '), {});
  const headings = withAnchors(tokens);
  for (const token of tokens) {
    alignByClass(token);
    for (const child of token.children ?? []) {
      const attribute = child.type === 'link_open' ? 'href' : 'src';
      const target = child.attrGet(attribute)?.toString();
      if (!target || !['link_open', 'image'].includes(child.type)) continue;
      const resolved = resolve(target);
      if (resolved === undefined) child.attrs = [];
      else child.attrSet(attribute, resolved);
    }
  }
  const arranged = file === START ? startPage(tokens) : tokens;
  return article(markdown.renderer.render(arranged, markdown.options, {}), headings);

  /** @returns undefined for files that exist only in the repository */
  function resolve(target: string): string | undefined {
    if (/^([a-z]+:|#)/i.test(target)) return target;
    const [path = '', anchor] = target.split('#');
    const linked = posix.join(posix.dirname(file), path);
    const address = linked === SCHEMA ? REFERENCE : addressOf(linked);
    if (address !== REFERENCE && !files.has(address)) return undefined;
    const page = address === '' ? guides : `${guides}/${address}`;
    return anchor === undefined ? page : `${page}#${anchor}`;
  }
}

/** @param headings of the content, which the table of contents lists */
export function article(content: string, headings: readonly Heading[]): string {
  const items = headings.map(
    ({ level, id, text }) => `<li class="level-${level}"><a href="#${id}">${escapeHtml(text)}</a></li>`,
  );
  const contents = `<nav class="contents" aria-labelledby="contents"><h2 id="contents">On this page</h2><ul>${items.join('')}</ul></nav>`;
  return `<article>\n${content}</article>\n${headings.length < MIN_HEADINGS ? '' : contents}`;
}

export function heading(tag: string, id: string, text: string, html = escapeHtml(text)): string {
  return `<div class="heading"><${tag} id="${id}">${html}</${tag}>${headingLink(id, text)}</div>\n`;
}

/** Follows the heading, because its name would become part of that of the heading. */
function headingLink(id: string, text: string): string {
  return `<a class="anchor" href="#${id}" aria-label="Link to “${escapeHtml(text)}”">#</a>`;
}

function withAnchors(tokens: Token[]): Heading[] {
  const headings: Heading[] = [];
  const ids = new Map<string, number>();
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue;
    const { content } = tokens[index + 1]!;
    const name = anchorOf(content);
    const earlier = ids.get(name) ?? 0;
    ids.set(name, earlier + 1);
    const id = earlier === 0 ? name : `${name}-${earlier}`;
    token.attrSet('id', id);
    const level = Number(token.tag.slice(1));
    if (level === 2 || level === 3) headings.push({ level, id, text: plain(content) });
  }
  return headings;
}

/** The content security policy forbids styles of elements. */
function alignByClass(token: Token): void {
  const alignment = /text-align:\s*(\w+)/.exec(String(token.attrGet('style') ?? ''))?.[1];
  if (alignment) token.attrs = [['class', alignment]];
}

function tabOf({ type, info }: Token): string | undefined {
  return type === 'fence' ? TAB.exec(info)?.[1] : undefined;
}

/** Radio buttons, so that they work without scripts. */
function tabs(fences: Token[], id: number): string {
  const buttons = fences.map((fence, index) => {
    const name = tabOf(fence)!;
    const attributes = `id="tab-${id}-${index}" name="tab-${id}" value="${name}"${index === 0 ? ' checked' : ''}`;
    return `<input type="radio" ${attributes}><label for="tab-${id}-${index}">${name}</label>`;
  });
  const panels = fences.map((fence) => codeBlock(fence));
  return `<div class="tabs" role="radiogroup" aria-label="Language">${buttons.join('')}${panels.join('')}</div>\n`;
}

/** The second word of the information may be the path of the file. */
function codeBlock({ content, info }: Token): string {
  const [language = '', path = ''] = info.split(' ');
  const caption = /[./]/.test(path) ? `<p class="file">${escapeHtml(path)}</p>` : '';
  // Responses of the service have one line.
  const wrap = language === 'json' ? ' class="wrap"' : '';
  return `<div class="code">${caption}<pre tabindex="0"${wrap}><code>${highlight(content, language)}</code></pre></div>\n`;
}
