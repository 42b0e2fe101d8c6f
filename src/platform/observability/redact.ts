import { inSource } from './source-positions.ts';

const HIDDEN = '…';

/** Longer text is cut, because the rules below take quadratic time. */
export const MAX_SHOWN = 2000;

const RULES: [RegExp, string][] = [
  // Queries of URLs, because they contain tokens and mail addresses.
  [/(\bhttps?:\/\/[^\s?#"']*)\?[^\s"']*/gi, `$1?${HIDDEN}`],
  [/(\w+:\/\/)[^\s/@"']*@/g, `$1${HIDDEN}@`],
  [
    /((?:token|signature|password|passwd|secret|auth_?key|api_?key|authorization|credential|access_key)\w*["'\]]*\s*[=:]\s*)("[^"]*"|'[^']*'|[^\s,;&)}\]]+)/gi,
    `$1${HIDDEN}`,
  ],
  [/\b(ApiKey|Bearer|Basic|Digest)\s+[^\s"',;]+/gi, `$1 ${HIDDEN}`],
  [/\beyJ[\w-]+(?:\.[\w-]+)*/g, HIDDEN],
  [/\b[0-9a-f]{32,}\b/gi, HIDDEN],
  [/[^\s"'<>(),;:=@]+@[^\s"'<>(),;:=@]+\.[a-z]{2,}/gi, `${HIDDEN}@${HIDDEN}`],
  // PostgreSQL repeats rejected values, as keys, as rows, and in quotes (see `QUOTED`).
  [/\)=\([^\n]*?(?:\)(?= |$)|$)/gm, `)=(${HIDDEN})`],
  [/(Failing row contains )\([^\n]*/g, `$1(${HIDDEN})`],
];

/** Quoted text, and the kind of object that it names. Without a kind it may be any value. */
const QUOTED =
  /(\b(?:relation|table|column|constraint|index|function|schema|database|operator|type|statement|sequence|role|parameter) )?"(?:[^"\\]|\\.)*(?:"|$)/g;

export function redactText(text: string): string {
  let shown = cut(text);
  for (const [pattern, replacement] of RULES) shown = shown.replace(pattern, replacement);
  return shown.replace(QUOTED, (quoted, kind) => (kind === undefined ? `"${HIDDEN}"` : quoted));
}

/** Cuts between words, because rules might miss a partial word. */
function cut(text: string): string {
  if (text.length <= MAX_SHOWN) return text;
  return `${text.slice(0, text.lastIndexOf(' ', MAX_SHOWN - 1) + 1)}${HIDDEN}`;
}

/** The logged parts of an error. Other properties that libraries attach (statements, rows, requests) are dropped. */
export interface PresentedError {
  type: string;
  message: string;
  code?: string | number;
  syscall?: string;
  stack?: string;
  cause?: PresentedError;
}

const MAX_DEPTH = 5;

export function redactError(error: unknown, depth = 0): PresentedError {
  if (!(error instanceof Error)) return { type: typeof error, message: 'a value that is not an Error was thrown' };
  const { code, syscall, cause } = error as { code?: unknown; syscall?: unknown; cause?: unknown };
  return {
    type: error.name,
    message: redactText(messageOf(error)),
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    ...(typeof syscall === 'string' && { syscall }),
    ...(error.stack !== undefined && { stack: framesOf(error.stack) }),
    ...(cause !== undefined && depth < MAX_DEPTH && { cause: redactError(cause, depth + 1) }),
  };
}

/** Prisma's messages contain the complete call with all values; the reason is at the end. */
function messageOf({ name, message }: Error): string {
  if (!name.startsWith('PrismaClient')) return message;
  const paragraphs = message.split('\n\n').map((text) => text.trim());
  const [first, last] = [paragraphs.find((text) => text !== '') ?? '', paragraphs.at(-1) ?? ''];
  const call = /Invalid `[^`]*`[^:\n{]*/.exec(first)?.[0] ?? 'a database call failed';
  return /[{}]/.test(last) || last === first ? call : `${call}: ${last}`;
}

/** Drops the first lines of a stack, because they repeat the message. */
function framesOf(stack: string): string {
  return stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .map(inSource)
    .join('\n');
}
