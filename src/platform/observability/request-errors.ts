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
  /** Names in the message that the request may have chosen. */
  readonly names?: readonly string[];
}

/** Whether a name is one of the service, or of the caller's application. Others may be secrets that were mixed up. */
export type IsKnownName = (name: string) => boolean;

const MAX_ERRORS = 5;
const MAX_MESSAGE = 300;
const MAX_PATH = 100;
const MAX_CODE = 40;
const UNKNOWN_NAME = '…';

/** Redacted and bounded. */
export function sentErrors(errors: readonly NotedError[], isKnown: IsKnownName): SentError[] {
  return errors.slice(0, MAX_ERRORS).map(({ message, extensions, path, names = [] }) => ({
    message: shownMessage(withoutNames(message, names, isKnown), isKnown),
    code: typeof extensions?.code === 'string' ? harmless(extensions.code, MAX_CODE) : null,
    path: path ? harmless(path.map((key) => shownKey(key, isKnown)).join('.'), MAX_PATH) : null,
  }));
}

/** Names of a response may be aliases. */
function shownKey(key: string | number, isKnown: IsKnownName): string {
  return typeof key === 'number' || isKnown(key) ? String(key) : UNKNOWN_NAME;
}

function withoutNames(message: string, names: readonly string[], isKnown: IsKnownName): string {
  return names
    .filter((name) => name !== '' && !isKnown(name))
    .reduce((text, name) => text.replaceAll(name, UNKNOWN_NAME), message);
}

/** The status that REST sends for these errors; the highest of them. */
export function statusOfErrors(errors: readonly NotedError[]): number {
  return Math.max(...errors.map(statusOfError));
}

function statusOfError({ message, extensions }: NotedError): number {
  if (message === 'Service unavailable') return 503;
  return STATUS_OF_CODE[extensions?.code as ErrorCode] ?? 400;
}

/**
 * Names that the redaction of all quoted text would hide. Behind these prepositions GraphQL names types and fields of the
 * schema, otherwise also those of the request.
 */
const NAMED = /\b((?:on|by|of|expecting) )?(field|argument|variable|fragment|directive|type) "([\w$@.[\]!]{1,80})"/gi;
const OF_SCHEMA = new Set(['field', 'type']);
/** Sentences of the service that repeat names of the request, for example `Incorrect filter: price[gte]`. */
const LABELED = /\b((?:Incorrect|Unknown) [a-z_ ]{1,20}: )(.*)/s;
const FIELDS = /\b(Fields? |Operator |with field )([^\s"«]+(?:, [^\s"«,]+)*)/g;
const BRACKETS = /(?<=[[{])[^\s"«[\]{}]+(?=[\]}])/g;
const WORD = /[\p{L}\p{N}_$@-]+/gu;
const KEPT = /«([^«»]*)»/g;

/** GraphQL repeats values of the request behind these words. */
const VALUE = /((?:invalid value|(?:cannot|can not) represent[^:]{0,60}:|, found|value:?) ).*/is;

export function shownMessage(message: string, isKnown: IsKnownName): string {
  const plain = harmless(message.replace(/[«»]/g, ' '), MAX_MESSAGE);
  const known = (names: string) => names.replace(WORD, (name) => (isKnown(name) ? name : UNKNOWN_NAME));
  const named = plain
    .replace(NAMED, (_all, preposition = '', kind: string, name: string) => {
      const isOfSchema = preposition !== '' && OF_SCHEMA.has(kind);
      return `${preposition}${kind} «${isOfSchema ? name : known(name)}»`;
    })
    .replace(LABELED, (_all, label: string, rest: string) => label + known(rest))
    .replace(FIELDS, (_all, before: string, names: string) => before + known(names))
    .replace(BRACKETS, known);
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
