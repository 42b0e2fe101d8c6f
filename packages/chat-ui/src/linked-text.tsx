import { memo, type ReactNode } from 'react';

const ADDRESS = /\bhttps?:\/\/[^\s<>"]+/gi;
const PUNCTUATION = '.,;:!?\'"*_';
const BRACKETS = { ')': '(', ']': '[', '}': '{' };

interface LinkedTextProps {
  text: string;
  /** Undefined for addresses that remain text. */
  linkOf: (address: string) => string | undefined;
}

/** A text whose addresses with `http` and `https` are links. Those of other schemes remain text. */
export const LinkedText = memo(function LinkedText({ text, linkOf }: LinkedTextProps) {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(ADDRESS)) {
    const address = withoutPunctuation(found);
    const link = linkOf(address);
    if (!link) continue;
    parts.push(
      text.slice(end, index),
      <a key={index} href={link} target="_blank" rel="noopener noreferrer">
        {address}
      </a>,
    );
    end = index + address.length;
  }
  return (
    <span className="atrium-text">
      {parts}
      {text.slice(end)}
    </span>
  );
});

/** Without what belongs to the sentence: `(see https://example.com/a_(b)).` Takes one pass, because others write the text. */
function withoutPunctuation(address: string): string {
  const unopened = new Map(
    Object.entries(BRACKETS).map(([closing, opening]) => [
      closing,
      countOf(address, closing) - countOf(address, opening),
    ]),
  );
  let end = address.length;
  for (; end > 0; end--) {
    const last = address[end - 1]!;
    const surplus = unopened.get(last) ?? 0;
    if (!PUNCTUATION.includes(last) && surplus <= 0) break;
    unopened.set(last, surplus - 1);
  }
  return address.slice(0, end);
}

function countOf(text: string, character: string): number {
  return text.split(character).length - 1;
}
