import { type ErrorCode, STATUS_OF_CODE } from '../../lib/errors.ts';
import { redactText } from './redact.ts';

/** An error as the client received it. */
export interface SentError {
  message: string;
  code: string | null;
  /** Of the field in the response, for example `dialogs.edges.0`. */
  path: string | null;
}

/** The parts of GraphQL errors and service errors that the log needs. */
export interface NotedError {
  readonly message: string;
  readonly extensions?: Readonly<Record<string, unknown>>;
  readonly path?: readonly (string | number)[] | undefined;
}

const MAX_ERRORS = 5;
const MAX_MESSAGE = 300;
const MAX_PATH = 100;
const MAX_CODE = 40;

/** Redacted and bounded. */
export function sentErrors(errors: readonly NotedError[]): SentError[] {
  return errors.slice(0, MAX_ERRORS).map(({ message, extensions, path }) => ({
    message: shownMessage(message),
    code: typeof extensions?.code === 'string' ? harmless(extensions.code, MAX_CODE) : null,
    path: path ? harmless(path.join('.'), MAX_PATH) : null,
  }));
}

/** The status that REST sends for these errors; the highest of them. */
export function statusOfErrors(errors: readonly NotedError[]): number {
  return Math.max(...errors.map(statusOfError));
}

function statusOfError({ message, extensions }: NotedError): number {
  if (message === 'Service unavailable') return 503;
  return STATUS_OF_CODE[extensions?.code as ErrorCode] ?? 400;
}

/** Names of the schema, which the redaction of all quoted text would hide. */
const NAMED = /\b(field|argument|variable|fragment|directive|type) "(\$?[A-Za-z_]\w{0,63}|\[?\w{1,60}!?\]?!?)"/gi;
const KEPT = /«([^«»]*)»/g;

/** GraphQL repeats values of the request behind these words. */
const VALUE = /((?:invalid value|(?:cannot|can not) represent[^:]{0,60}:|, found|value:?) ).*/is;

export function shownMessage(message: string): string {
  const plain = harmless(message.replace(/[«»]/g, ' '), MAX_MESSAGE);
  const named = plain.replace(NAMED, '$1 «$2»');
  const withoutValues = named.replace(VALUE, (all, before: string) =>
    isSentence(all.slice(before.length)) ? all : `${before}…`,
  );
  return redactText(withoutValues).replace(KEPT, '"$1"');
}

/** Our own sentences continue in plain words, for example `Invalid value for a cursor`. */
function isSentence(rest: string): boolean {
  return /^(?:for|of|is|in|must|should|can|may|at) [a-z' ]*$/.test(rest);
}

/** Client text in one line: no control, format or separator characters, no lone surrogates, at most `max` characters. */
export function harmless(text: string, max: number): string {
  const cut = text.slice(0, max).toWellFormed();
  const clean = cut.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
  return text.length > max ? `${clean}…` : clean;
}
