// Fails on words that scripts/prose/terms.ts replaces by the terms of docs/glossary.md.
// `npm run check:prose -- src/resolvers` covers only the given folders or files.
import MarkdownIt from 'markdown-it';
import { nameTerms, terms } from './prose/terms.ts';
import { collectTexts, type Text } from './prose/texts.ts';

const places = process.argv.slice(2);
const texts = collectTexts();
const markdown = new MarkdownIt();
const problems = texts.filter(isAsked).flatMap(problemsOf);
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.stdout.write(`${problems.length} words\n`);
process.exitCode = problems.length > 0 ? 1 : 0;

function isAsked({ file }: Text): boolean {
  return places.length === 0 || places.some((place) => file.startsWith(place));
}

function problemsOf({ kind, file, text }: Text): string[] {
  const refused = kind === 'names' ? [...terms, ...nameTerms] : terms;
  return wordsByLine(text).flatMap(([line, words]) =>
    refused.flatMap(([pattern, replacement]) =>
      [...words.matchAll(pattern)].map(([word]) => `${file}:${line}: “${word}”: write ${replacement}`),
    ),
  );
}

/** The words of each line of a Markdown text, without code and addresses. */
function wordsByLine(text: string): [line: number, words: string][] {
  let first = 0;
  return markdown.parse(text, {}).flatMap(({ type, children, map }) => {
    // Cells of tables have no line of their own.
    if (map) first = map[0] + 1;
    if (type !== 'inline') return [];
    const lines = [''];
    for (const { type, content } of children ?? []) {
      if (type === 'softbreak' || type === 'hardbreak') lines.push('');
      else lines[lines.length - 1] += type === 'text' ? content : ' ` ';
    }
    return lines.map((words, index): [number, string] => [first + index, words]);
  });
}
