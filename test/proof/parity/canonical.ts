import type { DetailedProblem, Problem } from '../../../src/lib/problems.ts';
import type { RestRequest, Route } from '../../../src/rest/http/route.ts';
import { legacySentence } from '../../../src/rest/legacy-sentences.ts';
import type { RawResponse } from '../../support/clients/raw-http.ts';
import type { Caller } from '../../support/fixtures/users.ts';
import { load } from './transports.ts';

// All permitted differences between the transports are defined here.

export type Outcome = { served: unknown } | Refused;

export interface Refused {
  refused: string;
  text?: string | undefined;
  /** Error texts by field, where REST has no sentences. */
  fields?: unknown;
}

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

/** The two errors whose status differs from that of their code. */
const FORBIDDEN = new Set(['Forbidden. Need user.', 'You are not allowed to modify this user']);

/** GraphQL validates all variables first; REST parses texts after it has checked the caller. */
const UNREADABLE = 'UNREADABLE';

/** Some endpoints respond to all invalid input with the body `{}` or none. */
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
    text: textOf(message, extensions),
    fields: extensions.fields,
  };
}

function textOf(message: string, extensions: Record<string, unknown>): string {
  if (extensions.fields || extensions.reason === undefined) return message;
  const problems = (extensions.problems ?? [extensions]) as Partial<DetailedProblem>[];
  return problems.map(({ parameters = {}, ...one }) => legacySentence({ ...one, parameters } as Problem)).join(', ');
}

/** A socket is closed with 4403 for any invalid credentials, also if their user does not exist. */
const CLOSED = 'CLOSED';
const WRONG_CREDENTIALS = new Set(['UNAUTHENTICATED', 'NOT_FOUND']);

export function closedSocket(): Outcome {
  return { refused: CLOSED };
}

/** Only REST has page sizes; the corresponding parameter of GraphQL has another name and its own error. */
const PAGE_SIZE = { rest: 'per_page should be between 1 and 100', graphql: 'first should be between 1 and 100' };

/** Whether two outcomes agree in what both contain. */
export function agree(rest: Outcome, graphql: Outcome): boolean {
  if ('served' in rest || 'served' in graphql) return JSON.stringify(rest) === JSON.stringify(graphql);
  if (graphql.refused === UNREADABLE) return true;
  if (graphql.refused === CLOSED) return WRONG_CREDENTIALS.has(rest.refused);
  const isPlain = rest.refused === 'BAD_USER_INPUT' && rest.text === undefined && rest.fields === undefined;
  if (isPlain) return WRONG_INPUT.has(graphql.refused);
  if (rest.text === PAGE_SIZE.rest) return graphql.text === PAGE_SIZE.graphql;
  if (rest.refused !== graphql.refused) return false;
  if (rest.text !== undefined && graphql.text !== undefined) return rest.text === graphql.text;
  // REST reports the error under `id`, where GraphQL names the field in its text.
  if (JSON.stringify(rest.fields) === JSON.stringify({ id: [graphql.text] })) return true;
  return rest.fields === undefined || graphql.fields === undefined || haveSame(rest.fields, graphql.fields);
}

/** Field names are camelCase in GraphQL, and `tag_list` is `tags`. */
function haveSame(rest: unknown, graphql: unknown): boolean {
  const renamed = Object.entries(graphql as object).map(([name, texts]) => [
    name === 'tags' ? 'tag_list' : name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    texts,
  ]);
  return JSON.stringify(rest) === JSON.stringify(Object.fromEntries(renamed));
}

/** `last_request_at` is written asynchronously, in batches. */
function shown(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body), (name, value) => (name === 'last_request_at' ? null : value));
}

/** The adapter expects dates instead of texts. */
function revived(data: unknown): unknown {
  const isMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
  return JSON.parse(JSON.stringify(data), (_name, value) =>
    typeof value === 'string' && isMoment.test(value) ? new Date(value) : value,
  );
}

function isJson(headers: RawResponse['headers']): boolean {
  return headers['content-type']?.startsWith('application/json') ?? false;
}

/** The error texts of a legacy body, joined like those of GraphQL. */
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
