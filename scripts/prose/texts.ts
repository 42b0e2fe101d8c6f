// The texts that people read, each file as Markdown whose lines are at the places of the original.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, visit } from 'graphql';
import { type Node, parseSync, Visitor } from 'oxc-parser';
import { commandLine } from '../../src/operator/cli/command-line.ts';
import { openApiDocument } from '../../src/rest/openapi/document.ts';

export type Kind = 'names' | 'comments' | 'tests' | 'messages' | 'schema' | 'openapi' | 'docs' | 'cli';

export interface Text {
  kind: Kind;
  file: string;
  /** Markdown. */
  text: string;
}

const CODE_FOLDERS = ['src', 'scripts', 'bench', 'packages', 'examples', 'test'];
const TABLES = 'prisma/schema.prisma';
const HAS_NAMES = /^(src|packages\/legacy-import|prisma)\//;
/** Names that others see: those of exports, tables and columns. */
const NAME = /^export (?:async )?(?:const|function|class|interface|type|enum) (\w+)|@map\("(\w+)"\)/;
/** Archives of earlier versions contain these columns. */
const FIXED_NAMES = new Set(['sealed', 'sealed_api_key']);
/** Functions whose first argument is the name of a test. */
const TEST_FUNCTIONS = /^(test|it|describe|bench)(\.\w+)*$/;
/** Functions whose arguments a person reads: log lines, errors and complaints of commands. */
const MESSAGE_FUNCTIONS = /(^|\.)log\.(trace|debug|info|warn|error|fatal)$|Error$|^complain$/;
/** Sentences that the legacy contract fixes. */
const FIXED_SENTENCES = /^src\/rest\/(legacy-sentences|errors)\.ts$/;
const SKIPPED = /(^|\/)(node_modules|generated|dist|fixtures\/legacy)(\/|$)/;

export function collectTexts(): Text[] {
  const code = CODE_FOLDERS.flatMap((folder) => filesBelow(folder)).filter((file) => /\.(ts|tsx|mjs)$/.test(file));
  const sources = code.map((file) => [file, readFileSync(file, 'utf8')] as const);
  const named = [...sources, [TABLES, readFileSync(TABLES, 'utf8')] as const].filter(([file]) => HAS_NAMES.test(file));
  return [
    ...named.map(([file, source]) => ({ kind: 'names', file, text: namesOf(source) }) as const),
    ...sources.map(([file, source]) => ({ kind: 'comments', file, text: commentsOf(file, source) }) as const),
    ...sources.map(
      ([file, source]) => ({ kind: 'tests', file, text: firstArguments(file, source, TEST_FUNCTIONS) }) as const,
    ),
    ...sources
      .filter(([file]) => /^(src|packages\/legacy-import)\//.test(file) && !FIXED_SENTENCES.test(file))
      .map(
        ([file, source]) =>
          ({ kind: 'messages', file, text: firstArguments(file, source, MESSAGE_FUNCTIONS) }) as const,
      ),
    schema(),
    openapi(),
    ...docs(),
    ...cli(),
  ];
}

/** The words of the names in a source file; all other lines are empty. */
function namesOf(source: string): string {
  const wordsOf = (line: string) => {
    const [, exported, stored] = NAME.exec(line) ?? [];
    const name = exported ?? stored ?? '';
    return FIXED_NAMES.has(name) ? '' : name.replace(/([a-z\d])([A-Z])/g, '$1 $2').replaceAll('_', ' ');
  };
  return source.split('\n').map(wordsOf).join('\n');
}

/** The comments of a source file; all other lines are empty. */
export function commentsOf(file: string, source: string): string {
  const lines = source.split('\n').map(() => '');
  for (const { start, end } of parseSync(file, source).comments) {
    const first = source.slice(0, start).split('\n').length - 1;
    for (const [index, line] of source.slice(start, end).split('\n').entries()) lines[first + index] += plain(line);
  }
  return lines.join('\n');
}

/** The texts among the arguments of calls whose function has such a name. */
function firstArguments(file: string, source: string, name: RegExp): string {
  const lines = source.split('\n').map(() => '');
  const take = (callee: Node, args: readonly Node[]) => {
    const text = source.slice(callee.start, callee.end);
    const called = callee.type === 'CallExpression' ? source.slice(callee.callee.start, callee.callee.end) : text;
    if (!name.test(called)) return;
    for (const argument of args) {
      const line = source.slice(0, argument.start).split('\n').length - 1;
      if (argument.type === 'Literal' && typeof argument.value === 'string') lines[line] += ` ${argument.value}`;
      if (argument.type !== 'TemplateLiteral') continue;
      lines[line] += ` ${argument.quasis.map(({ value }) => value.raw).join(' `x` ')}`;
    }
  };
  new Visitor({
    CallExpression: ({ callee, arguments: args }) => take(callee, args),
    NewExpression: ({ callee, arguments: args }) => take(callee, args),
  }).visit(parseSync(file, source).program);
  return lines.map((line) => line.replaceAll('\n', ' ').trim()).join('\n');
}

function plain(line: string): string {
  if (/biome-ignore|@ts-expect-error/.test(line)) return '';
  return line
    .replace(/^\s*(\/\*\*?|\/\/\/?|\*\/|\*)/, '')
    .replace(/\*\/\s*$/, '')
    .replace(/@(returns|throws|param|example)\b/, '')
    .replace(/\{@link ([^}]*)\}/g, '`$1`')
    .trim();
}

function schema(): Text {
  const source = readFileSync('schema.graphql', 'utf8');
  const lines = source.split('\n').map(() => '');
  visit(parse(source), {
    StringValue: (node, key) => {
      if (key !== 'description') return;
      const { start, end } = node.loc!;
      const first = source.slice(0, start).split('\n').length - 1;
      for (const [index, line] of source.slice(start, end).split('\n').entries()) {
        lines[first + index] = line.replaceAll('"""', '').trim();
      }
    },
  });
  return { kind: 'schema', file: 'schema.graphql', text: lines.join('\n') };
}

/** Its descriptions and summaries, one a paragraph. */
function openapi(): Text {
  const found = new Set<string>();
  const walk = (value: unknown): void => {
    if (value === null || typeof value !== 'object') return;
    for (const [key, member] of Object.entries(value)) {
      if (['description', 'summary'].includes(key) && typeof member === 'string') found.add(member);
      else walk(member);
    }
  };
  walk(openApiDocument('http://127.0.0.1:3000', ['Session-Token']));
  return { kind: 'openapi', file: '/openapi.json', text: [...found].join('\n\n') };
}

function docs(): Text[] {
  const files = [...filesBelow('docs'), ...filesBelow('packages'), ...readdirSync('.'), ...filesBelow('examples')];
  return files
    .filter((file) => file.endsWith('.md'))
    .map((file) => ({ kind: 'docs', file, text: readFileSync(file, 'utf8') }));
}

function cli(): Text[] {
  const helpOf = (command: ReturnType<typeof commandLine>): string[] => [
    command.description(),
    ...command.options.map(({ description }) => description),
    ...command.registeredArguments.map(({ description }) => description),
    ...command.commands.flatMap((each) => helpOf(each)),
  ];
  return [{ kind: 'cli', file: 'npm run cli -- --help', text: helpOf(commandLine()).join('\n\n') }];
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !SKIPPED.test(file))
    .sort();
}
