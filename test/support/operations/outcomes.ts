import { parseQuery } from '../../../src/lib/bracket-keys.ts';
import type { DetailedProblem, Problem } from '../../../src/lib/problems.ts';
import type { RawResponse } from '../clients/raw-http.ts';
import { type Call, queryText } from './operation.ts';
import { legacySentence, type Route } from './routes.ts';

/** The legacy body of a success, or the reason of a refusal. */
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
  503: 'SERVICE_UNAVAILABLE',
};

export const NEED_USER = 'Forbidden. Need user.';

/** The two errors whose status differs from that of their code. */
const FORBIDDEN = new Set([NEED_USER, 'You are not allowed to modify this user']);

/** GraphQL validates all variables first; REST parses texts after it has checked the caller. */
export const UNREADABLE = 'UNREADABLE';

/** A socket is closed with 4403 for any invalid credentials, also if their user does not exist. */
export const CLOSED = 'CLOSED';

export function ofRest(route: Route, { status, text, headers }: RawResponse): Outcome {
  if (status >= 500 && status !== 503) throw new Error(`${route.method} ${route.path}: ${status} ${text}`);
  const isJson = text !== '' && (headers['content-type']?.startsWith('application/json') ?? false);
  if (status < 300) {
    if (route.download) return { served: { size: Number(headers['content-length']), bytes: text } };
    return { served: shown(isJson ? JSON.parse(text) : text) };
  }
  const body = isJson ? JSON.parse(text) : undefined;
  const sentence = sentenceOf(body, text);
  const refused = sentence && FORBIDDEN.has(sentence) ? 'FORBIDDEN' : CODES[status];
  if (!refused) throw new Error(`${route.method} ${route.path}: ${status} ${text}`);
  return { refused, text: sentence, fields: fieldsOf(body) };
}

export interface GraphqlAnswer {
  // biome-ignore lint/suspicious/noExplicitAny: answers are of every shape
  data?: any;
  errors?: { message: string; path?: (string | number)[]; extensions?: Record<string, unknown> }[];
}

export function refusalOf({ errors }: GraphqlAnswer, name: string): Refused | undefined {
  if (!errors) return undefined;
  const { message, extensions = {} } = errors[0]!;
  if (extensions.code === 'INTERNAL_SERVER_ERROR') throw new Error(`${name}: ${message}`);
  if (/^Variable "|^\w+ cannot represent/.test(message)) return { refused: UNREADABLE };
  return { refused: String(extensions.code), text: legacyTextOf(message, extensions), fields: extensions.fields };
}

function legacyTextOf(message: string, extensions: Record<string, unknown>): string {
  if (extensions.reason === undefined) return message;
  const problems = (extensions.problems ?? [extensions]) as Partial<DetailedProblem>[];
  return problems.map(({ parameters = {}, ...one }) => legacySentence({ ...one, parameters } as Problem)).join(', ');
}

/** The body that REST presents for data of GraphQL. */
export function presented(route: Route, data: unknown, { path, query, json, headers }: Call): unknown {
  const texts = Object.fromEntries(Object.entries(path).map(([name, value]) => [name, String(value)]));
  const parameters = { ...parseQuery(queryText(query)), ...JSON.parse(JSON.stringify(json ?? {})) };
  const request = { path: texts, parameters, header: (name: string) => headers[name] };
  const { body } = route.respond(revived(data) as never, request);
  return shown(body === undefined ? '' : JSON.parse(JSON.stringify(body)));
}

/** Random, written asynchronously in batches, or the name that a client of the transport gives itself. */
const PASSED_MEMBERS = new Set([
  'last_request_at',
  'last_used_at',
  'device',
  'recovery_codes',
  'allowCredentials',
  'excludeCredentials',
]);

function shown(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body), (name, value) => (PASSED_MEMBERS.has(name) ? null : value));
}

/** The adapter expects dates instead of texts. */
function revived(data: unknown): unknown {
  const isMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
  return JSON.parse(JSON.stringify(data), (_name, value) =>
    typeof value === 'string' && isMoment.test(value) ? new Date(value) : value,
  );
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
