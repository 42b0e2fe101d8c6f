// The two storage formats for messages of events. Any provider may receive either.

export type Json = Record<string, unknown>;

/** `object` is set if the text is a JSON object. */
export interface ReadMessage {
  text: string;
  object?: Json;
}

const PAYLOAD_PREFIX = 'payload=';
const DATA_PREFIX = 'data.message=';

export function isStored(given: string): boolean {
  return given.startsWith(DATA_PREFIX) || given.startsWith(PAYLOAD_PREFIX);
}

/** @param given Base64, or plain text */
export function readMessage(given: string): ReadMessage {
  return withObject(textOfBase64(given) ?? given);
}

export function encodePayload(object: Json): string {
  return PAYLOAD_PREFIX + base64(JSON.stringify(object));
}

export function encodePlainPayload({ text, object }: ReadMessage): string {
  return encodePayload(object ? Object.fromEntries(othersThanIos(object)) : { message: text });
}

export function encodeData({ text, object }: ReadMessage): string {
  if (!object) return DATA_PREFIX + base64(formEscape(text));
  const { message, ...others } = object;
  return [
    DATA_PREFIX + base64(formEscape(textOf(message ?? ''))),
    ...othersThanIos(others).map(([key, value]) => `data.${formEscape(key)}=${base64(formEscape(textOf(value)))}`),
  ].join('&');
}

export function decodePayload(stored: string): ReadMessage {
  if (stored.startsWith(DATA_PREFIX)) return { text: decodeData(stored).message ?? '' };
  if (!stored.startsWith(PAYLOAD_PREFIX)) return { text: stored };
  const packed = percentDecoded(stored.slice(PAYLOAD_PREFIX.length));
  return withObject(textOfBase64(packed) ?? packed);
}

export function decodeData(stored: string): Record<string, string> {
  if (!stored.startsWith(DATA_PREFIX)) return { message: decodePayload(stored).text };
  const data: Record<string, string> = {};
  for (const pair of stored.split('&')) {
    const [name = '', value] = splitOnce(pair, '=');
    const key = name.startsWith('data.') ? name.slice('data.'.length) : name;
    if (key !== '') data[key] = formUnescape(textOfBase64(percentDecoded(value)) ?? value);
  }
  return data;
}

export function isPlainObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Letters, digits and `_ . - ~` remain, a space becomes `+`, other bytes `%XX`. */
export function formEscape(text: string): string {
  return encodeURIComponent(text.toWellFormed())
    .replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');
}

function othersThanIos(object: Json): [key: string, value: unknown][] {
  return Object.entries(object).filter(([key]) => !key.startsWith('ios_'));
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOfBase64(given: string): string | undefined {
  const packed = given.replace(/\s+/g, '');
  const [, bare] = /^([A-Za-z0-9+/]+)={0,2}$/.exec(packed) ?? [];
  if (bare === undefined) return undefined;
  const isPadded = bare.length !== packed.length;
  if (bare.length % 4 === 1 || (isPadded && packed.length % 4 !== 0)) return undefined;
  try {
    return utf8.decode(Buffer.from(packed, 'base64'));
  } catch {
    return undefined;
  }
}

/** Needed because clients that encode messages themselves escape the Base64 padding as `%3D`. */
function percentDecoded(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function formUnescape(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

function withObject(text: string): ReadMessage {
  if (!text.trimStart().startsWith('{')) return { text };
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? { text, object: value } : { text };
  } catch {
    return { text };
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function splitOnce(text: string, separator: string): [string, string] {
  const index = text.indexOf(separator);
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index + separator.length)];
}
