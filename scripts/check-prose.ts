// Fails on words that docs/glossary.md replaces, and on style habits counted per 1,000 words.
// `npm run check:prose -- src/resolvers` covers only the given folders or files.
import MarkdownIt from 'markdown-it';
import { nameTerms, terms } from './prose/terms.ts';
import { collectTexts, type Kind, type Text } from './prose/texts.ts';

interface Habit {
  name: string;
  pattern: RegExp;
  most?: number;
  least?: number;
}

const HABITS: Habit[] = [
  { name: 'what is/was/has', pattern: /\bwhat (is|was|has|are|were|it is)\b/gi, most: 1.5 },
  { name: 'because/so that', pattern: /\b(because|so that)\b/gi, least: 1 },
];

const places = process.argv.slice(2);
const texts = collectTexts();
const markdown = new MarkdownIt();
const problems = texts.filter(isAsked).flatMap(problemsOf);
for (const problem of problems) process.stdout.write(`${problem}\n`);
const unusual = (['comments', 'schema', 'docs'] as const).flatMap((kind) => habitsOf(kind));
for (const line of unusual) process.stdout.write(`${line}\n`);
process.stdout.write(`${problems.length} words, ${unusual.length} habits\n`);
process.exitCode = problems.length + unusual.length > 0 ? 1 : 0;

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

function habitsOf(kind: Kind): string[] {
  const text = texts
    .filter((each) => each.kind === kind && isAsked(each))
    .map((each) => each.text)
    .join('\n');
  const words = text.match(/[\w'-]+/g)?.length ?? 0;
  return HABITS.flatMap(({ name, pattern, most = Number.POSITIVE_INFINITY, least = 0 }) => {
    const rate = ((text.match(pattern)?.length ?? 0) * 1000) / words;
    return rate > most || rate < least ? [`${kind}: ${rate.toFixed(2)} × “${name}” per 1,000 of ${words} words`] : [];
  });
}
