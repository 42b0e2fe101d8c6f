import type { RestRequest, Route } from '../../../src/rest/http/route.ts';
import { legacySentence } from '../../../src/rest/legacy-sentences.ts';
import type { RawResponse } from '../../support/clients/raw-http.ts';
import type { Caller } from '../../support/fixtures/users.ts';
import { load } from './transports.ts';

// Where the doors may differ by contract. All that is forgiven is forgiven here.

/** What a door answers, in the words of REST. */
export type Outcome = { served: unknown } | Refused;

export interface Refused {
  refused: string;
  /** The sentence, where the door has one. */
  text?: string | undefined;
  /** Texts by field, where REST shows no sentences. */
  fields?: unknown;
}

/** The table of statuses and codes. */
const CODES: Record<number, string> = {
  400: 'BAD_USER_INPUT',
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'DISABLED',
  422: 'UNPROCESSABLE',
  429: 'RATE_LIMITED',
  503: 'INTERNAL_SERVER_ERROR',
};

/** The two sentences whose status is not their code's: the table says so. */
const FORBIDDEN = new Set(['Forbidden. Need user.', 'You are not allowed to modify this user']);

/** GraphQL reads all variables before anything else; REST reads texts, after it has looked at the caller. */
const UNREADABLE = 'UNREADABLE';

/** The body `{}` or none of some endpoints stands for every complaint about what was sent. */
const WRONG_INPUT = new Set(['BAD_USER_INPUT', 'UNPROCESSABLE', UNREADABLE]);

export function ofRest(endpoint: Route, { status, text, headers }: RawResponse): Outcome {
  if (status >= 500 && status !== 503) throw new Error(`${endpoint.method} ${endpoint.path}: ${status} ${text}`);
  if (status < 300) {
    if (endpoint.download) return { served: { size: Number(headers['content-length']), bytes: text } };
    return { served: shown(text === '' || !isJson(headers) ? text : JSON.parse(text)) };
  }
  const body = text !== '' && isJson(headers) ? JSON.parse(text) : undefined;
  const sentence = sentenceOf(body, text);
  const refused = sentence && FORBIDDEN.has(sentence) ? 'FORBIDDEN' : CODES[status];
  if (!refused) throw new Error(`${endpoint.method} ${endpoint.path}: ${status} ${text}`);
  return { refused, text: sentence, fields: fieldsOf(body) };
}

export async function ofGraphql(
  endpoint: Route,
  // biome-ignore lint/suspicious/noExplicitAny: answers are of every shape
  { data, errors }: { data?: any; errors?: { message: string; extensions?: Record<string, unknown> }[] },
  request: RestRequest,
  as: Caller,
): Promise<Outcome> {
  if (!errors) {
    const [found] = Object.values(data) as { size: number; content: string }[];
    if (endpoint.download) return { served: { size: found!.size, bytes: await load(found!.content, as) } };
    const { body } = endpoint.respond(revived(data) as never, request);
    return { served: shown(body === undefined ? '' : JSON.parse(JSON.stringify(body))) };
  }
  const [{ message, extensions = {} }] = errors as [{ message: string; extensions?: Record<string, unknown> }];
  if (extensions.code === 'INTERNAL_SERVER_ERROR' && message !== 'Service unavailable') {
    throw new Error(`${endpoint.method} ${endpoint.path}: ${message}`);
  }
  if (/^Variable "|^\w+ cannot represent/.test(message)) return { refused: UNREADABLE };
  return {
    refused: String(extensions.code),
    text: message.split(', ').map(legacySentence).join(', '),
    fields: extensions.fields,
  };
}

/** A socket is closed with 4403 as it opens, whatever is wrong with the credentials: also where their user is unknown. */
const CLOSED = 'CLOSED';
const WRONG_CREDENTIALS = new Set(['UNAUTHENTICATED', 'NOT_FOUND']);

export function closedSocket(): Outcome {
  return { refused: CLOSED };
}

/** Pages are REST's own: their size is a parameter of another name, which GraphQL's lists take by their own rules. */
const PAGE_SIZE = { rest: 'per_page should be between 1 and 100', graphql: 'first should be between 1 and 100' };

/** Whether two doors have said the same, as far as both have said it. */
export function agree(rest: Outcome, graphql: Outcome): boolean {
  if ('served' in rest || 'served' in graphql) return JSON.stringify(rest) === JSON.stringify(graphql);
  if (graphql.refused === UNREADABLE) return true;
  if (graphql.refused === CLOSED) return WRONG_CREDENTIALS.has(rest.refused);
  const isPlain = rest.refused === 'BAD_USER_INPUT' && rest.text === undefined && rest.fields === undefined;
  if (isPlain) return WRONG_INPUT.has(graphql.refused);
  if (rest.text === PAGE_SIZE.rest) return graphql.text === PAGE_SIZE.graphql;
  if (rest.refused !== graphql.refused) return false;
  if (rest.text !== undefined && graphql.text !== undefined) return rest.text === graphql.text;
  // Where REST tells a sentence under `id`, of which GraphQL names the field.
  if (JSON.stringify(rest.fields) === JSON.stringify({ id: [graphql.text] })) return true;
  return rest.fields === undefined || graphql.fields === undefined || haveSame(rest.fields, graphql.fields);
}

/** Field names are camelCase in GraphQL, and `tag_list` is `tags` there. */
function haveSame(rest: unknown, graphql: unknown): boolean {
  const renamed = Object.entries(graphql as object).map(([name, texts]) => [
    name === 'tags' ? 'tag_list' : name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    texts,
  ]);
  return JSON.stringify(rest) === JSON.stringify(Object.fromEntries(renamed));
}

/** `last_request_at` is written behind requests, several at a time. */
function shown(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body), (name, value) => (name === 'last_request_at' ? null : value));
}

/** In process moments are dates, by which the adapter forms them. */
function revived(data: unknown): unknown {
  const isMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
  return JSON.parse(JSON.stringify(data), (_name, value) =>
    typeof value === 'string' && isMoment.test(value) ? new Date(value) : value,
  );
}

function isJson(headers: RawResponse['headers']): boolean {
  return headers['content-type']?.startsWith('application/json') ?? false;
}

/** The sentences of a legacy body in any of its forms, as GraphQL joins them. */
function sentenceOf(body: unknown, text: string): string | undefined {
  const xml = /<Message>(.*)<\/Message>/.exec(text)?.[1];
  if (xml) return xml;
  const { errors, message } = (body ?? {}) as { errors?: unknown; message?: string };
  if (message) return message;
  if (Array.isArray(errors)) return errors.join(', ');
  const { base } = (errors ?? {}) as { base?: string[] };
  return base?.join(', ');
}

function fieldsOf(body: unknown): unknown {
  const { errors } = (body ?? {}) as { errors?: Record<string, unknown> };
  if (!errors || Array.isArray(errors) || 'base' in errors) return undefined;
  return errors;
}
