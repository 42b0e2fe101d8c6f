import type { Attachment } from './chat-types.ts';

/** JSON that other users wrote can have any form: members of another type than documented are dropped. */
export function attachmentsOf(value: unknown): Attachment[] {
  return Array.isArray(value) ? value.flatMap((one: unknown) => attachmentOf(one) ?? []) : [];
}

/** The members of a JSON object; none for any other value. */
export function membersOf(value: unknown): Record<string, unknown> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? Object.fromEntries(Object.entries(value)) : {};
}

/** The parsed address if it has the scheme `http` or `https`. */
export function webAddress(address: string): URL | undefined {
  try {
    const url = new URL(address);
    return url.protocol === 'http:' || url.protocol === 'https:' ? url : undefined;
  } catch {
    return undefined;
  }
}

function attachmentOf(value: unknown): Attachment | undefined {
  const { type, id, uid, url, name, contentType, size, width, height, duration, ...rest } = membersOf(value);
  const { 'content-type': legacyType, ...others } = rest;
  const kind = textOf(type);
  if (!kind) return undefined;
  const known = {
    id: textOf(id),
    uid: textOf(uid),
    url: textOf(url),
    name: textOf(name),
    contentType: textOf(contentType) ?? textOf(legacyType),
    'content-type': textOf(legacyType),
    size: numberOf(size),
    width: numberOf(width),
    height: numberOf(height),
    duration: numberOf(duration),
  };
  const present = Object.entries(known).filter(([, member]) => member !== undefined);
  return { ...others, type: kind, ...Object.fromEntries(present) };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

/** Legacy clients send numbers as text. */
function numberOf(value: unknown): number | undefined {
  const isText = typeof value === 'string' && value.trim() !== '';
  const number = typeof value === 'number' || isText ? Number(value) : Number.NaN;
  return number >= 0 && number < Number.POSITIVE_INFINITY ? number : undefined;
}
