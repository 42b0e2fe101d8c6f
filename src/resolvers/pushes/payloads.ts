import type { PushChannel } from './channels.ts';

// What becomes of an event's message, and what devices are given of it (gaps §11.3).

type Json = Record<string, unknown>;

const APNS_PREFIX = 'payload=';
const GCM_PREFIX = 'data.message=';

/** Keys that legacy clients send for iOS, and what Apple calls them. */
const APS_KEYS: Record<string, string> = {
  message: 'alert',
  ios_badge: 'badge',
  ios_sound: 'sound',
  ios_content_available: 'content-available',
  ios_mutable_content: 'mutable-content',
  ios_category: 'category',
};

/** A message as its channel stores it: Base64 of text or of a JSON object becomes what the channel's clients take. */
export function storedMessage(channel: PushChannel, given: string): string {
  if (given.startsWith(GCM_PREFIX) || given.startsWith(APNS_PREFIX)) return given;
  const text = textOfBase64(given) ?? given;
  const object = objectIn(text);
  switch (channel) {
    case 'gcm':
      return object ? gcmOfObject(object) : GCM_PREFIX + base64(formEscape(text));
    case 'apns':
    case 'apns_voip':
      return payload(object ? appleOfObject(object) : { aps: { alert: text } });
    case 'web':
    case 'email':
      return payload(object ? withoutApple(object) : { message: text });
  }
}

/** What Apple is given for a stored message. */
export function applePayload(stored: string): Json {
  const { object, text } = unpacked(stored);
  return object ?? { aps: { alert: text } };
}

/** What an Android client finds among its `data`, all texts. */
export function googleData(stored: string): Record<string, string> {
  if (!stored.startsWith(GCM_PREFIX)) return { message: unpacked(stored).text };
  const data: Record<string, string> = {};
  for (const pair of stored.split('&')) {
    const [name = '', value] = splitOnce(pair, '=');
    const key = name.startsWith('data.') ? name.slice('data.'.length) : name;
    if (key !== '') data[key] = formUnescape(textOfBase64(percentDecoded(value)) ?? value);
  }
  return data;
}

/** What a browser is given, as its JSON text. */
export function browserPayload(stored: string): string {
  const { object, text } = unpacked(stored);
  return JSON.stringify(object ?? { message: text });
}

/** What a mail says. */
export function mailText(stored: string): string {
  const { object, text } = unpacked(stored);
  const alert = (object?.aps as Json | undefined)?.alert;
  const message = object?.message ?? (isPlainObject(alert) ? alert.body : alert);
  return typeof message === 'string' ? message : text;
}

/** Whether a payload shows or sounds something; Apple wants to be told, and delays what does not. */
export function isBackground({ aps }: Json): boolean {
  if (!isPlainObject(aps)) return true;
  const isSeen = ['alert', 'badge', 'sound'].some((key) => aps[key] !== undefined);
  return !isSeen && aps['content-available'] !== undefined;
}

/** Letters, digits and `_ . - ~` stay, a blank is `+`, every other byte `%XX`. */
export function formEscape(text: string): string {
  return encodeURIComponent(text.toWellFormed())
    .replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');
}

function unpacked(stored: string): { text: string; object?: Json } {
  if (stored.startsWith(GCM_PREFIX)) {
    const text = googleData(stored).message ?? '';
    return { text };
  }
  if (!stored.startsWith(APNS_PREFIX)) return { text: stored };
  const packed = percentDecoded(stored.slice(APNS_PREFIX.length));
  const text = textOfBase64(packed) ?? packed;
  const object = objectIn(text);
  return object ? { text, object } : { text };
}

function gcmOfObject({ message, ...others }: Json): string {
  const pairs = Object.entries(others).filter(([key]) => !key.startsWith('ios_'));
  return [
    GCM_PREFIX + base64(formEscape(textOf(message ?? ''))),
    ...pairs.map(([key, value]) => `data.${formEscape(key)}=${base64(formEscape(textOf(value)))}`),
  ].join('&');
}

function appleOfObject(object: Json): Json {
  const aps: Json = isPlainObject(object.aps) ? { ...object.aps } : {};
  const others: Json = {};
  for (const [key, value] of Object.entries(object)) {
    if (Object.hasOwn(APS_KEYS, key)) aps[APS_KEYS[key]!] = value;
    else if (key !== 'aps' && !key.startsWith('ios_')) others[key] = value;
  }
  return { aps, ...others };
}

function withoutApple(object: Json): Json {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !key.startsWith('ios_')));
}

function payload(object: Json): string {
  return APNS_PREFIX + base64(JSON.stringify(object));
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Undefined for what is no Base64, with or without its padding, or no UTF-8 inside. */
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

/** Clients escape the signs of Base64 when they build the message themselves: `%3D`. */
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

function objectIn(text: string): Json | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isPlainObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function splitOnce(text: string, separator: string): [string, string] {
  const place = text.indexOf(separator);
  return place < 0 ? [text, ''] : [text.slice(0, place), text.slice(place + separator.length)];
}
