import type { IncomingMessage } from 'node:http';
import type { RequestText } from '../read-request.ts';

/** A well-formed POST of one operation, whose response is one JSON document. */
export interface PlainRequest {
  text: RequestText & { variables: Record<string, unknown> | null | undefined };
  /** Content type of the response, selected from `Accept` like Yoga does. */
  mediaType: string;
}

const MEMBERS = new Set(['query', 'variables', 'operationName', 'extensions']);
const MEDIA_TYPES = ['application/graphql-response+json', 'application/json'];

/** @returns undefined for any other request, which Yoga answers or rejects */
export function plainRequest(
  { method, url, headers }: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
  body: Buffer,
): PlainRequest | undefined {
  if (method !== 'POST' || url !== '/graphql' || headers['content-encoding'] !== undefined) return undefined;
  const contentType = headers['content-type'];
  if (contentType !== 'application/json' && contentType !== 'application/json; charset=utf-8') return undefined;
  const mediaType = mediaTypeFor(headers.accept);
  const text = readText(body);
  return mediaType && text ? { text, mediaType } : undefined;
}

function mediaTypeFor(accept = '*/*'): string | undefined {
  for (const wanted of accept.toLowerCase().split(',')) {
    const type = MEDIA_TYPES.findLast((one) => isMatching(one, wanted.trim()));
    if (type) return type;
  }
  return undefined;
}

function isMatching(type: string, wanted: string): boolean {
  return wanted === type || wanted === '*/*' || wanted === 'application/*';
}

function readText(body: Buffer): PlainRequest['text'] | undefined {
  let members: unknown;
  try {
    members = JSON.parse(body.toString());
  } catch {
    return undefined;
  }
  if (!isObject(members) || !Object.keys(members).every((name) => MEMBERS.has(name))) return undefined;
  const { query, variables, operationName, extensions } = members;
  if (typeof query !== 'string' || !isAbsentOr(isObject, variables) || !isAbsentOr(isObject, extensions)) {
    return undefined;
  }
  return isAbsentOr(isText, operationName) ? { query, variables, operationName } : undefined;
}

function isAbsentOr<Type>(isOf: (value: unknown) => value is Type, value: unknown): value is Type | null | undefined {
  return value === undefined || value === null || isOf(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
