import { BadInputError } from './errors.ts';
import { isObject, type JsonObject, type JsonValue } from './json.ts';

/** Objects without a prototype, so that client keys cannot collide with inherited properties. */
export type Parameters = JsonObject;

/** Nesting levels including the root: `a[b][c]=1` has 3, `{"a":[1]}` has 2. */
const MAX_DEPTH = 10;
/** Pairs of a form, or members of all objects of a JSON text; array items do not count. */
export const MAX_KEYS = 20_000;

export const malformed = () => new BadInputError('BODY_MALFORMED');
export const tooComplex = () => new BadInputError('REQUEST_TOO_COMPLEX');

/** One JSON object, raw or percent-encoded (`+` stays a plus), otherwise a form. @throws {BadInputError} */
export function parseQuery(text: string): Parameters {
  if (text.startsWith('{') || /^%7b/i.test(text)) {
    const json = unescapePercent(text);
    if (json.endsWith('}')) return parseJson(json);
  }
  return parseForm(text);
}

/**
 * `user[login]=bob&tag[]=a&tag[]=b&part[0]=x` → `{ user: { login: 'bob' }, tag: ['a', 'b'], part: { 0: 'x' } }`
 * @throws {BadInputError} an escape is not UTF-8, or there are too many or too deeply nested keys
 */
export function parseForm(text: string, maxKeys = MAX_KEYS): Parameters {
  const root = emptyParameters();
  let keys = 0;
  for (let start = 0, end = 0; start < text.length; start = end + 1) {
    end = text.indexOf('&', start);
    if (end === -1) end = text.length;
    if (end === start) continue;
    if (++keys > maxKeys) throw tooComplex();

    const pair = text.slice(start, end);
    const equals = pair.indexOf('=');
    if (equals === -1) addPair(root, unescapeForm(pair), '');
    else addPair(root, unescapeForm(pair.slice(0, equals)), unescapeForm(pair.slice(equals + 1)));
  }
  return root;
}

/**
 * A key is a name followed by complete bracket groups; any other text (`a[b`, `a[b]c`, `[x]`) is a plain name. When a
 * plain key repeats or uses conflict (`a=1&a[b]=2`), the last pair wins. `a[][b]` fills the last item of the list until
 * that item has a `b`; then a new item begins. @throws {BadInputError}
 */
export function parametersOf(pairs: (readonly [key: string, value: string])[], maxKeys = MAX_KEYS): Parameters {
  if (pairs.length > maxKeys) throw tooComplex();

  const root = emptyParameters();
  for (const [key, value] of pairs) addPair(root, key, value);
  return root;
}

/** @throws {BadInputError} no JSON object, or too many or too deeply nested keys */
export function parseJson(text: string, maxKeys = MAX_KEYS): Parameters {
  refuseComplexJson(text, maxKeys);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw malformed();
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed();
  return copyObject(value);
}

/** The body wins for equal keys, objects merge, arrays are replaced. Changes neither argument. */
export function mergeParameters(query: Parameters, body: Parameters): Parameters {
  const merged: Parameters = Object.assign(emptyParameters(), query);
  for (const [key, over] of Object.entries(body)) {
    const under = merged[key];
    merged[key] = isObject(under) && isObject(over) ? mergeParameters(under, over) : over;
  }
  return merged;
}

/** Null becomes the empty text. A parsed form yields the decoded pairs, because the client signed those. */
export function flatten(parameters: Parameters): [key: string, text: string][] {
  const leaves: [string, string][] = [];
  for (const [key, value] of Object.entries(parameters)) addLeaves(leaves, key, value);
  return leaves;
}

function emptyParameters(): Parameters {
  return Object.create(null);
}

function addPair(root: Parameters, key: string, value: string): void {
  if (key === '') return;

  const path = segmentsOf(key);
  if (path.length > MAX_DEPTH) throw tooComplex();
  if (path.some(isForbidden)) return;

  let node: Parameters | JsonValue[] = root;
  for (let at = 0; at < path.length - 1; at++) node = descend(node, path, at);

  if (Array.isArray(node)) node.push(value);
  else node[path.at(-1) as string] = value;
}

function segmentsOf(key: string): string[] {
  const open = key.indexOf('[');
  if (open < 1 || !key.endsWith(']')) return [key];

  const path = [key.slice(0, open)];
  for (let at = open; at < key.length; ) {
    const close = key.indexOf(']', at);
    if (key[at] !== '[' || close === -1) return [key];
    const segment = key.slice(at + 1, close);
    if (segment.includes('[')) return [key];
    path.push(segment);
    at = close + 1;
  }
  return path;
}

function descend(node: Parameters | JsonValue[], path: string[], at: number): Parameters | JsonValue[] {
  const isList = path[at + 1] === '';
  const existing = Array.isArray(node) ? node.at(-1) : node[path[at] as string];
  const isFit = isList ? Array.isArray(existing) : isObject(existing);
  if (isFit && !(Array.isArray(node) && isTaken(existing, path, at + 1))) return existing as Parameters | JsonValue[];

  const made = isList ? [] : emptyParameters();
  if (Array.isArray(node)) node.push(made);
  else node[path[at] as string] = made;
  return made;
}

function isTaken(item: JsonValue | undefined, path: string[], from: number): boolean {
  let node = item;
  for (let at = from; at < path.length; at++) {
    if (path[at] === '') return !Array.isArray(node);
    if (!isObject(node)) return true;
    node = node[path[at] as string];
    if (node === undefined) return false;
  }
  return true;
}

function isForbidden(segment: string): boolean {
  return segment === '__proto__' || segment === 'constructor' || segment === 'prototype';
}

function unescapeForm(text: string): string {
  return unescapePercent(text.includes('+') ? text.replaceAll('+', ' ') : text);
}

function unescapePercent(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw malformed();
  }
}

/** Checks the text before parsing, because parsing deep nesting costs far more than its length suggests. */
function refuseComplexJson(text: string, maxKeys: number): void {
  let depth = 0;
  let keys = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '"':
        at = closingQuote(text, at);
        break;
      case ':':
        if (++keys > maxKeys) throw tooComplex();
        break;
      case '{':
      case '[':
        if (++depth > MAX_DEPTH) throw tooComplex();
        break;
      case '}':
      case ']':
        depth--;
    }
  }
}

function closingQuote(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at++) {
    if (text[at] === '"') return at;
    if (text[at] === '\\') at++;
  }
  return text.length;
}

function copyObject(object: object): Parameters {
  const copied = emptyParameters();
  for (const [key, value] of Object.entries(object)) {
    if (!isForbidden(key)) copied[key] = copyValue(value);
  }
  return copied;
}

function copyValue(value: unknown): JsonValue {
  if (typeof value !== 'object' || value === null) return value as JsonValue;
  return Array.isArray(value) ? value.map(copyValue) : copyObject(value);
}

function addLeaves(leaves: [string, string][], name: string, value: JsonValue): void {
  if (Array.isArray(value)) {
    for (const item of value) addLeaves(leaves, `${name}[]`, item);
  } else if (isObject(value)) {
    for (const [key, member] of Object.entries(value)) addLeaves(leaves, `${name}[${key}]`, member);
  } else {
    leaves.push([name, value === null ? '' : String(value)]);
  }
}
