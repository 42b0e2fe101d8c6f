import { isObject } from '../../lib/json.ts';
import { fieldWords } from '../../lib/problems.ts';
import { isoSeconds } from '../../lib/time.ts';

export type XmlRoot =
  | 'dialog'
  | 'chat-message'
  | 'class'
  | 'record'
  | 'users'
  | 'events'
  | 'subscriptions'
  | 'blobs'
  | 'geo-data'
  | 'dialogs'
  | 'chat-messages'
  | 'records'
  | 'classes'
  | 'contacts'
  | 'result';

const PROLOG = '<?xml version="1.0" encoding="UTF-8"?>';

/** `{"user":{…}}` */
const WRAPPERS = new Set(['session', 'user', 'blob', 'event', 'push_token', 'geo_datum', 'subscription']);

/** Members with a leading `_` come last. */
export function xmlOf(answer: unknown, root: XmlRoot = 'result'): string {
  const wrapper = wrapperOf(answer);
  return PROLOG + (wrapper ? wrapped(answer, wrapper) : typed(root, '', answer));
}

/** Each sentence once: a field's message, with the field's name, often repeats one under `base`. */
export function errorsXml(body: unknown): string {
  const sentences = [...new Set(listedSentences(body))];
  const content = sentences.map((sentence) => element('error', '', escapeText(sentence))).join('');
  return PROLOG + element('errors', '', content);
}

function listedSentences(body: unknown): string[] {
  if (!isObject(body)) return [];
  const { errors, message } = body;
  if (Array.isArray(errors)) return errors.map(String);
  if (isObject(errors)) {
    const { base = [], ...fields } = errors as Record<string, string[]>;
    return [
      ...Object.entries(fields).flatMap(([field, texts]) => texts.map((text) => sentenceOf(field, text))),
      ...base,
    ];
  }
  return typeof message === 'string' ? [message] : [];
}

/** Under `id`, the password reset has a complete sentence. */
function sentenceOf(field: string, text: string): string {
  return field === 'id' && /^[A-Z]/.test(text) ? text : `${fieldWords(field)} ${text}`;
}

function typed(name: string, attributes: string, value: unknown): string {
  if (value === null) return element(name, `${attributes} nil="true"`, '');
  if (Array.isArray(value)) return element(name, `${attributes} type="array"`, value.map(item).join(''));
  if (isObject(value)) return element(name, attributes, members(value));

  const text = String(value);
  const type = typeOf(value, text);
  return element(name, type ? `${attributes} type="${type}"` : attributes, escapeText(text));
}

function typeOf(value: unknown, text: string): string | undefined {
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'number') return /^-?\d+$/.test(text) ? 'integer' : 'float';
  return isLegacyTime(text) ? 'datetime' : undefined;
}

function isLegacyTime(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text)) return false;
  const moment = new Date(text);
  return !Number.isNaN(moment.getTime()) && isoSeconds(moment) === text;
}

function members(object: Record<string, unknown>): string {
  let xml = '';
  let last = '';
  for (const [key, value] of Object.entries(object)) {
    if (key.startsWith('_')) last += member(key, value);
    else xml += member(key, value);
  }
  return xml + last;
}

/** `created_at` → `<created-at>`, `_parent_id` → `<_parent-id>`; a key that is no XML name → `<entry key="…">` */
function member(key: string, value: unknown): string {
  const name = key.replaceAll(/(?<=.)_/gsu, '-');
  return NAME.test(name) ? typed(name, '', value) : typed('entry', ` key="${escapeAttribute(key)}"`, value);
}

function item(value: unknown): string {
  const wrapper = wrapperOf(value);
  if (wrapper) return wrapped(value, wrapper);
  return typed(typeof value === 'object' && value !== null ? 'item' : 'value', '', value);
}

function wrapperOf(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const [key, ...others] = Object.keys(value);
  return key !== undefined && others.length === 0 && WRAPPERS.has(key) && isObject(value[key]) ? key : undefined;
}

function wrapped(value: unknown, wrapper: string): string {
  return member(wrapper, (value as Record<string, unknown>)[wrapper]);
}

function element(name: string, attributes: string, content: string): string {
  return content === '' ? `<${name}${attributes}/>` : `<${name}${attributes}>${content}</${name}>`;
}

/** Valid in every edition of XML. A colon would be a namespace, and the prefix `xml` is reserved. */
const NAME = /^(?!xml)[a-z_][a-z0-9_.-]*$/i;

/** Characters that XML 1.0 forbids even if escaped, including lone surrogates. */
const NOT_XML = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

/** Escapes carriage returns, which parsers would read as line feeds. */
export function escapeText(text: string): string {
  return text.replace(NOT_XML, '\uFFFD').replace(/[&<>\r]/g, (character) => ESCAPES[character]!);
}

/** Escapes white space, which parsers would read as spaces. */
function escapeAttribute(text: string): string {
  return text.replace(NOT_XML, '\uFFFD').replace(/[&<>"\t\n\r]/g, (character) => ESCAPES[character]!);
}
