import type { Token } from 'markdown-it';
import { type CardLink, cardLinks } from '../../../src/server/pages/cards.ts';

/** The start page: its table becomes cards, and the texts of its lists stand below their links. */
export function startPage(tokens: Token[]): Token[] {
  const [from, to] = ['table_open', 'table_close'].map((type) => tokens.findIndex((token) => token.type === type));
  const cells = tokens.slice(from, to).filter(({ type, content }) => type === 'inline' && content !== '');
  const cards = cells.flatMap((cell, index) => (index % 2 === 0 ? [cardOf(cell, cells[index + 1]!)] : []));
  const table = tokens[from!]!;
  Object.assign(table, { type: 'html_block', content: cardLinks(cards) });
  tokens.splice(from! + 1, to! - from!);
  for (const token of tokens) {
    if (/^(bullet|ordered)_list_open$/.test(token.type)) token.attrs = [['class', 'entries']];
    if (token.type === 'inline') beginText(token.children ?? []);
  }
  return tokens;
}

function cardOf(link: Token, text: Token): CardLink {
  const [open, name] = link.children!;
  return { href: String(open!.attrGet('href')), name: name!.content, text: text.content };
}

/** `[Files](files.md): upload` → `Upload` */
function beginText(children: Token[]): void {
  const [end, text] = children.slice(children.findIndex(({ type }) => type === 'link_close'));
  if (end?.type !== 'link_close' || !text?.content.startsWith(': ')) return;
  text.content = text.content.slice(2).replace(/^./u, (letter) => letter.toUpperCase());
}
