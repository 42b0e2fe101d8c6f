import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';

export interface Pattern {
  /** `src/lib/a.ts:12` */
  place: string;
  /** Undefined if the pattern is not a constant. */
  source: string | undefined;
  flags: string;
}

interface SyntaxNode {
  type: string;
  start: number;
  [key: string]: unknown;
}

/** All patterns in the folders: literals, `RegExp(…)`, and strings passed to methods that make a pattern of them. */
export function patternsBelow(...folders: string[]): Pattern[] {
  return folders.flatMap(sourcesBelow).flatMap((file) => patternsIn(file, readFileSync(file, 'utf8')));
}

function sourcesBelow(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file));
  return files.filter((file) => /\.[cm]?[jt]sx?$/.test(file) && !file.includes('generated')).sort();
}

export function patternsIn(file: string, text: string): Pattern[] {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`);
  const constants = new Map<string, SyntaxNode>();
  const patterns: Pattern[] = [];
  each(program as unknown as SyntaxNode, (node) => {
    if (node.type === 'VariableDeclarator' && nameOf(node.id) && node.init) {
      constants.set(nameOf(node.id)!, node.init as SyntaxNode);
    }
  });
  each(program as unknown as SyntaxNode, (node) => {
    const found = literalOf(node) ?? constructedOf(node, constants);
    if (found) patterns.push({ place: `${file}:${text.slice(0, node.start).split('\n').length}`, ...found });
  });
  return patterns;
}

type Found = Pick<Pattern, 'source' | 'flags'>;

function literalOf(node: SyntaxNode): Found | undefined {
  const regex = node.type === 'Literal' ? (node.regex as { pattern: string; flags: string } | undefined) : undefined;
  return regex && { source: regex.pattern, flags: regex.flags };
}

/** `new RegExp(a, b)`, `RegExp(a)`, and `x.match('a')`, which compiles its string. */
function constructedOf(node: SyntaxNode, constants: Map<string, SyntaxNode>): Found | undefined {
  if (node.type !== 'NewExpression' && node.type !== 'CallExpression') return undefined;
  const callee = node.callee as SyntaxNode;
  const method = callee.type === 'MemberExpression' ? nameOf(callee.property) : undefined;
  const isMatcher = method === 'match' || method === 'matchAll' || method === 'search';
  if (nameOf(callee) !== 'RegExp' && method !== 'RegExp' && !isMatcher) return undefined;
  const [source, flags] = node.arguments as SyntaxNode[];
  // `search({ … })` is not the method of a string.
  if (!source || (isMatcher && (literalOf(source) || source.type === 'ObjectExpression'))) return undefined;
  return { source: textOf(source, constants), flags: isMatcher ? '' : ((flags && textOf(flags, constants)) ?? '') };
}

/** Evaluates literals, templates and constants of the file. */
function textOf(node: SyntaxNode, constants: Map<string, SyntaxNode>): string | undefined {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type === 'Identifier' && constants.has(nameOf(node)!)) {
    return textOf(constants.get(nameOf(node)!)!, constants);
  }
  if (node.type === 'TemplateLiteral') return templateText(node, constants, 'cooked');
  const isRaw = node.type === 'TaggedTemplateExpression' && nameOf((node.tag as SyntaxNode).property) === 'raw';
  return isRaw ? templateText(node.quasi as SyntaxNode, constants, 'raw') : undefined;
}

function templateText(
  { quasis, expressions }: SyntaxNode,
  constants: Map<string, SyntaxNode>,
  form: 'cooked' | 'raw',
): string | undefined {
  const texts = (quasis as { value: { cooked: string; raw: string } }[]).map(({ value }) => value[form]);
  const between = (expressions as SyntaxNode[]).map((expression) => textOf(expression, constants));
  if (between.includes(undefined)) return undefined;
  return texts.map((text, index) => text + (between[index] ?? '')).join('');
}

function nameOf(node: unknown): string | undefined {
  const { type, name } = (node ?? {}) as { type?: string; name?: unknown };
  return type === 'Identifier' && typeof name === 'string' ? name : undefined;
}

function each(node: SyntaxNode, visit: (node: SyntaxNode) => void): void {
  visit(node);
  for (const child of Object.values(node).flat()) {
    if (typeof child === 'object' && child !== null && 'type' in child) each(child as SyntaxNode, visit);
  }
}
