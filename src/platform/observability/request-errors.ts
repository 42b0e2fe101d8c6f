import { type ErrorCode, STATUS_OF_CODE } from '../../lib/errors.ts';
import { type DetailedProblem, sentenceOf } from '../../lib/problems.ts';
import { REASONS } from '../../lib/reasons.ts';
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
  /** Sentences of the transport; default: those of the service. */
  readonly sentence?: (problem: DetailedProblem) => string;
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
  return errors.slice(0, MAX_ERRORS).map(({ message, extensions, path, sentence = sentenceOf }) => ({
    message: sentenceWithoutValues(extensions, sentence, isKnown) ?? shownMessage(message, isKnown),
    code: typeof extensions?.code === 'string' ? harmless(extensions.code, MAX_CODE) : null,
    path: path ? harmless(path.map((key) => shownKey(key, isKnown)).join('.'), MAX_PATH) : null,
  }));
}

/** Names of a response may be aliases. */
function shownKey(key: string | number, isKnown: IsKnownName): string {
  return typeof key === 'number' || isKnown(key) ? String(key) : UNKNOWN_NAME;
}

/** Parameters of sentences whose values the service chooses. Others may repeat the request. */
export const OF_SERVICE = new Set(['wanted', 'coordinate', 'words', 'feature', 'what', 'known']);

/** Undefined for errors that are not those of the service. */
function sentenceWithoutValues(
  extensions: NotedError['extensions'],
  sentence: (problem: DetailedProblem) => string,
  isKnown: IsKnownName,
): string | undefined {
  if (typeof extensions?.reason !== 'string' || !Object.hasOwn(REASONS, extensions.reason)) return undefined;
  const problems = (extensions.problems ?? [extensions]) as Partial<DetailedProblem>[];
  const sentences = problems.slice(0, MAX_ERRORS).map(({ reason, parameters = {}, record, field }) => {
    const shown = Object.entries(parameters).map(([name, value]) => [
      name,
      typeof value === 'number' || OF_SERVICE.has(name) ? value : knownWords(value.slice(0, MAX_MESSAGE), isKnown),
    ]);
    return sentence({
      reason: reason!,
      parameters: Object.fromEntries(shown),
      ...(record !== undefined && { record }),
      ...(field !== undefined && { field: knownWords(field, isKnown) }),
    });
  });
  return harmless(sentences.join(', '), MAX_MESSAGE);
}

/** The status that REST sends for these errors; the highest of them. */
export function statusOfErrors(errors: readonly NotedError[]): number {
  return Math.max(...errors.map(statusOfError));
}

function statusOfError({ extensions }: NotedError): number {
  return STATUS_OF_CODE[extensions?.code as ErrorCode] ?? 400;
}

/**
 * Names that the redaction of all quoted text would hide. Behind these prepositions GraphQL names types and fields of the
 * schema, otherwise also those of the request.
 */
const NAMED = /\b((?:on|by|of|expecting) )?(field|argument|variable|fragment|directive|type) "([\w$@.[\]!]{1,80})"/gi;
const OF_SCHEMA = new Set(['field', 'type']);
const WORD = /[\p{L}\p{N}_$@-]+/gu;
const KEPT = /«([^«»]*)»/g;

/** GraphQL repeats values of the request behind these words. */
const VALUE = /((?:invalid value|(?:cannot|can not) represent[^:]{0,60}:|, found|value:?) ).*/is;

function knownWords(text: string, isKnown: IsKnownName): string {
  return text.replace(WORD, (word) => (isKnown(word) ? word : UNKNOWN_NAME));
}

/** Of GraphQL errors. */
function shownMessage(message: string, isKnown: IsKnownName): string {
  const plain = harmless(message.replace(/[«»]/g, ' '), MAX_MESSAGE);
  const named = plain.replace(NAMED, (_all, preposition = '', kind: string, name: string) => {
    const isOfSchema = preposition !== '' && OF_SCHEMA.has(kind);
    return `${preposition}${kind} «${isOfSchema ? name : knownWords(name, isKnown)}»`;
  });
  return redactText(named.replace(VALUE, '$1…')).replace(KEPT, '"$1"');
}

/** Client text in one line: no control, format or separator characters, no lone surrogates, at most `max` characters. */
export function harmless(text: string, max: number): string {
  const cut = text.slice(0, max).toWellFormed();
  const clean = cut.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
  return text.length > max ? `${clean}…` : clean;
}
