/** Text that stands for what is not shown. */
const HIDDEN = '…';

/** Characters of a text that are shown: the rules below take quadratic time. */
export const MAX_SHOWN = 2000;

/** What is hidden of any text that is logged, each with its reason. */
const RULES: [RegExp, string][] = [
  // Queries of addresses, which hold tokens of ours and of others, and mail addresses.
  [/(\bhttps?:\/\/[^\s?#"']*)\?[^\s"']*/gi, `$1?${HIDDEN}`],
  // User and password of an address.
  [/(\w+:\/\/)[^\s/@"']*@/g, `$1${HIDDEN}@`],
  // Parameters and fields by their names, in forms, JSON and messages.
  [
    /((?:token|signature|password|passwd|secret|auth_?key|api_?key|authorization|credential|access_key)\w*["'\]]*\s*[=:]\s*)("[^"]*"|'[^']*'|[^\s,;&)}\]]+)/gi,
    `$1${HIDDEN}`,
  ],
  [/\b(ApiKey|Bearer|Basic|Digest)\s+[^\s"',;]+/gi, `$1 ${HIDDEN}`],
  // Signed tokens, and our own: session and reset tokens, hashes.
  [/\beyJ[\w-]+(?:\.[\w-]+)*/g, HIDDEN],
  [/\b[0-9a-f]{32,}\b/gi, HIDDEN],
  [/[^\s"'<>(),;:=@]+@[^\s"'<>(),;:=@]+\.[a-z]{2,}/gi, `${HIDDEN}@${HIDDEN}`],
  // PostgreSQL repeats the values it complains about, as keys and as rows, and in quotes as well (below).
  [/\)=\([^\n]*?(?:\)(?= |$)|$)/gm, `)=(${HIDDEN})`],
  [/(Failing row contains )\([^\n]*/g, `$1(${HIDDEN})`],
];

/** Text in quotes, with what kind of thing is named by it: what is not named so may be anything. */
const QUOTED =
  /(\b(?:relation|table|column|constraint|index|function|schema|database|operator|type|statement|sequence|role|parameter) )?"(?:[^"\\]|\\.)*(?:"|$)/g;

/** A text without what nobody may read in a log: credentials, mail addresses, values of rows. */
export function redactText(text: string): string {
  let shown = cut(text);
  for (const [pattern, replacement] of RULES) shown = shown.replace(pattern, replacement);
  return shown.replace(QUOTED, (quoted, kind) => (kind === undefined ? `"${HIDDEN}"` : quoted));
}

/** Ends with a whole word, so that no rule misses what a part of a word was. */
function cut(text: string): string {
  if (text.length <= MAX_SHOWN) return text;
  return `${text.slice(0, text.lastIndexOf(' ', MAX_SHOWN - 1) + 1)}${HIDDEN}`;
}

/** What is told of an error. Everything else that libraries attach to theirs (statements, rows, requests) is left out. */
export interface PresentedError {
  type: string;
  message: string;
  code?: string | number;
  syscall?: string;
  stack?: string;
  cause?: PresentedError;
}

/** Errors within errors beyond this are left out. */
const MAX_DEPTH = 5;

export function redactError(error: unknown, depth = 0): PresentedError {
  if (!(error instanceof Error)) return { type: typeof error, message: 'something that is no error was thrown' };
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

/** Prisma writes down the whole call it complains about, with all its values; what is wrong stands at the end. */
function messageOf({ name, message }: Error): string {
  if (!name.startsWith('PrismaClient')) return message;
  const paragraphs = message.split('\n\n').map((text) => text.trim());
  const [first, last] = [paragraphs.find((text) => text !== '') ?? '', paragraphs.at(-1) ?? ''];
  const call = /Invalid `[^`]*`[^:\n{]*/.exec(first)?.[0] ?? 'a database call failed';
  return /[{}]/.test(last) || last === first ? call : `${call}: ${last}`;
}

/** The places alone: the first lines of a stack repeat the message. */
function framesOf(stack: string): string {
  return stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n');
}
