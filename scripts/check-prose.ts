// Fails on words that docs/glossary.md replaces, and on style habits counted per 1,000 words.
// `npm run check:prose -- src/resolvers` covers only the given folders or files.
import { TextlintKernel } from '@textlint/kernel';
import markdown from '@textlint/textlint-plugin-markdown';
import terminology from 'textlint-rule-terminology';
import { terms } from './prose/terms.ts';
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
const problems = (await Promise.all(texts.filter(isAsked).map(problemsOf))).flat();
for (const problem of problems) process.stdout.write(`${problem}\n`);
const unusual = (['comments', 'schema', 'docs'] as const).flatMap((kind) => habitsOf(kind));
for (const line of unusual) process.stdout.write(`${line}\n`);
process.stdout.write(`${problems.length} words, ${unusual.length} habits\n`);
process.exitCode = problems.length + unusual.length > 0 ? 1 : 0;

function isAsked({ file }: Text): boolean {
  return places.length === 0 || places.some((place) => file.startsWith(place));
}

async function problemsOf({ file, text }: Text): Promise<string[]> {
  const { messages } = await new TextlintKernel().lintText(text, {
    filePath: file,
    ext: '.md',
    plugins: [{ pluginId: 'markdown', plugin: markdown.default }],
    rules: [{ ruleId: 'terminology', rule: terminology, options: { defaultTerms: false, terms, skip: [] } }],
  });
  return messages.map(({ loc, message }) => `${file}:${loc.start.line}: ${message}`);
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
