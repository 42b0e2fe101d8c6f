import { randomUUID } from 'node:crypto';
import type { Token, TokenizerMode } from 'parse5';
import { mentionsOf, withLink } from './placeholders.ts';

/** Elements whose text is only displayed. Others may send it (`button`) or fetch with it (`style`). */
const INLINE = wordsOf(
  'a abbr b bdi bdo big cite code del dfn em font i ins kbd mark q s samp small span strike strong sub sup tt u var',
);
const BLOCKS = wordsOf(
  'html body address article aside blockquote br caption center dd div dl dt figcaption figure footer h1 h2 h3 h4 h5 ' +
    'h6 header hr li main nav ol p pre section table tbody td tfoot th thead tr ul',
);

const BEFORE_WORD = /[ \n\t][<(["']?$/;

const VOID = wordsOf('area base col embed img input link meta source track wbr');

/** Whether each `{{link}}` of a text is a word of its own. */
export function hasOnlyOwnWords(text: string): boolean {
  const mark = randomUUID();
  return ownWordsIn(withLink(text, mark), mark) === mentionsOf(text, 'link');
}

/** Parsers read tokens differently below them (`select`), mail programs differ (`noscript`), or they read attributes. */
const REFUSED = wordsOf(
  'svg math link select frameset noscript template textarea xmp iframe noembed noframes plaintext script object',
);

/** Elements whose content has no tags, with the state that reads it. */
const RAW = new Map<string, keyof typeof TokenizerMode>([
  ['style', 'RAWTEXT'],
  ['title', 'RCDATA'],
]);

/** Selectors of attributes and fonts for some characters send parts of the link to other servers. */
const READING_STYLE = /[[\\]|@(?!media\b)/i;

/** Some mail programs show their content. */
const CONDITIONAL_COMMENT = /^\s*\[if/i;

/** Whether each `{{link}}` is displayed as a word of its own or is the `href` of a link, so that no other server gets it. */
export async function hasOnlyOwnLinks(html: string): Promise<boolean> {
  // Text of the template could imitate a placeholder with character references.
  const mark = randomUUID();
  const { text, addresses, isRead } = await displayed(withLink(html, mark), mark);
  return !isRead && ownWordsIn(text, mark) + addresses === mentionsOf(html, 'link');
}

interface Displayed {
  text: string;
  /** Number of links to the address. */
  addresses: number;
  /** Whether something else than the person may read the addresses. */
  isRead: boolean;
}

/** Only tokens, because the tree takes quadratic time. Text within other elements is left out. */
async function displayed(html: string, address: string): Promise<Displayed> {
  // Loaded here, because few processes store texts of mails.
  const { Tokenizer, TokenizerMode } = await import('parse5');
  let [text, addresses, isRead] = ['', 0, false];
  const others = new Map<string, number>();
  const add = (more: string) => {
    if (others.size === 0) text += more;
    else if (others.has('style')) isRead ||= READING_STYLE.test(more);
  };
  const tokenizer = new Tokenizer(
    {},
    {
      onStartTag({ tagName, attrs }: Token.TagToken) {
        if (BLOCKS.has(tagName)) add('\n');
        else if (!INLINE.has(tagName) && !VOID.has(tagName)) others.set(tagName, (others.get(tagName) ?? 0) + 1);
        const raw = RAW.get(tagName);
        if (raw) tokenizer.state = TokenizerMode[raw];
        isRead ||= REFUSED.has(tagName) || attrs.some(({ name }) => name === 'ping');
        const isLink = tagName === 'a' && others.size === 0;
        if (isLink && attrs.some(({ name, value }) => name === 'href' && value.trim() === address)) addresses++;
      },
      onEndTag({ tagName }: Token.TagToken) {
        if (BLOCKS.has(tagName)) add('\n');
        const open = others.get(tagName) ?? 0;
        if (open > 1) others.set(tagName, open - 1);
        else others.delete(tagName);
      },
      onCharacter: ({ chars }) => add(chars),
      onWhitespaceCharacter: ({ chars }) => add(chars),
      onNullCharacter() {},
      onComment({ data }) {
        isRead ||= CONDITIONAL_COMMENT.test(data);
      },
      onDoctype() {},
      onEof() {},
    },
  );
  tokenizer.write(html, true);
  return { text, addresses, isRead };
}

/** Mail programs add the characters before an address to it, even if they are an address of another server. */
function ownWordsIn(text: string, word: string): number {
  const before = `\n${text}`.split(word).slice(0, -1);
  return before.filter((part, nth) => BEFORE_WORD.test(nth === 0 ? part.slice(-2) : `x${part}`.slice(-2))).length;
}

function wordsOf(names: string): Set<string> {
  return new Set(names.split(' '));
}
