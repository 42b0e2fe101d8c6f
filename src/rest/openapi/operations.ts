import answers from '../../../docs/reference/rest-answers.json' with { type: 'json' };
import type { Access } from '../../lib/access.ts';
import type { Route } from '../http/route.ts';
import { API_VERSION, VERSION_HEADER } from '../http/versions.ts';
import { operationOf, type Rules, rulesOf } from '../operations.ts';
import type { RequestExample } from './docs/operation-docs.ts';
import type { ObjectSchema, Schema } from './docs/schemas.ts';
import { COMMON_RESPONSES, errorResponses } from './errors.ts';
import { formOf, formPairs } from './forms.ts';
import { type PathTemplate, templateOf } from './paths.ts';
import { securityOf } from './security.ts';
import type { Media, Operation, Parameter, Reference, Response } from './types.ts';

export function describe(route: Route, tokenHeaders: readonly string[]): { template: string; operation: Operation } {
  const { docs } = route;
  const rules = rulesOf(route);
  const path = templateOf(route);
  const paragraphs = [
    docs.description,
    route.download && rules.access === 'anyone' ? PUBLIC_FILES : CALLERS[rules.access],
    route.since && `Clients that state a version before ${route.since} in \`${VERSION_HEADER}\` receive 404.`,
    isJson(docs.answer) && `In XML, the root element is \`${route.xml ?? wrapperOf(docs.answer)}\`.`,
  ];
  const requestBody = requestBodyOf(route);
  const operation = {
    operationId: operationIdOf(route),
    tags: [docs.tag],
    summary: docs.summary,
    description: paragraphs.filter(Boolean).join('\n\n'),
    security: securityOf(route, rules, tokenHeaders),
    parameters: parametersOf(route, path),
    ...(requestBody && { requestBody }),
    responses: responsesOf(route, rules, tokenHeaders),
  };
  return { template: path.template, operation };
}

function operationIdOf(route: Route): string {
  const { name } = operationOf(route);
  return route.docs.operationId ?? name.charAt(0).toLowerCase() + name.slice(1);
}

const ANSWERS: Record<string, unknown> = answers;

const CALLERS: Record<Access, string> = {
  anyone: 'Requires no credentials; credentials in the request are ignored.',
  session: 'Requires the token of any session, or an API key.',
  token: 'Requires a session token. API keys receive 401.',
  userToken: 'Requires the token of a user session. API keys receive 401, application sessions 422.',
  user:
    'Requires a user: the token of a user session, or an API key with `On-Behalf-Of`. Application sessions and API ' +
    'keys alone receive 422.',
  userOrKey:
    'Requires a user (the token of a user session, or an API key with `On-Behalf-Of`) or an API key alone. ' +
    'Application sessions receive 422.',
  key: 'Requires an API key alone. Users receive 403, application sessions 422.',
  administrator: 'Requires an administrator of the console, who uses GraphQL.',
};

const PUBLIC_FILES = 'Public files require no credentials. Others require the token of any session, or an API key.';

function isJson(answer: Route['docs']['answer']): answer is Schema {
  return typeof answer !== 'string';
}

function wrapperOf({ properties, anyOf }: Schema): string {
  const [name, ...others] = Object.keys((properties ?? (anyOf as Schema[])?.[0]?.properties ?? {}) as object);
  const isWrapper = /^(session|user|blob|event|push_token|geo_datum|subscription)$/.test(name ?? '');
  return isWrapper && others.length === 0 ? name!.replaceAll('_', '-') : 'result';
}

function parametersOf({ docs, since }: Route, path: PathTemplate): Parameter[] {
  const { query = {}, body: _body, ...example } = docs.examples[0];
  const inPath = path.parameters.map(
    (parameter): Parameter => ({ ...parameter, in: 'path', required: true, ...descriptionOf(parameter.schema) }),
  );
  const version = since
    ? [{ name: VERSION_HEADER, in: 'header', schema: VERSION, ...descriptionOf(VERSION) } as const]
    : [];
  return [...inPath, ...queryParameters(docs.query, { ...example, query }), ...headersOf(docs.headers), ...version];
}

const VERSION: Schema = {
  type: 'string',
  description: 'Contract version that the client was written for. Default: the newest.',
  examples: [API_VERSION],
};

function headersOf(headers: ObjectSchema | undefined): Parameter[] {
  return Object.entries(headers?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'header',
    schema,
    ...descriptionOf(schema),
  }));
}

function queryParameters(query: ObjectSchema | undefined, { query: example = {} }: RequestExample): Parameter[] {
  if (!query) return [];
  const known = Object.entries(query.properties).map(
    ([name, schema]): Parameter => ({
      name,
      in: 'query',
      ...(query.required?.includes(name) && { required: true }),
      ...styleOf(name, schema),
      ...descriptionOf(schema),
      schema,
      // Without an example, the documentation page invents members and sends them.
      ...(name in example ? { example: example[name] } : schema.type === 'object' && { example: {} }),
    }),
  );
  const others = Object.entries(example).filter(([name]) => !(name in query.properties));
  const more = query.additionalProperties as Schema | undefined;
  if (!more) return known;
  const pairs = Object.fromEntries(others.flatMap(([name, value]) => formPairs(name, value)));
  return [
    ...known,
    { name: 'fields', in: 'query', style: 'form', explode: true, ...descriptionOf(more), schema: more, example: pairs },
  ];
}

/** The documentation page shows descriptions of parameters, but not of their schemas. */
function descriptionOf({ description }: Schema): { description?: string } {
  return typeof description === 'string' ? { description } : {};
}

/** The serialization of a value: `name[op]=v`, `name[]=a&name[]=b`, `name=a,b`. */
function styleOf(name: string, { type, anyOf }: Schema): { style?: string; explode?: boolean } {
  const isObject = type === 'object' || ((anyOf as Schema[]) ?? []).some((schema) => schema.type === 'object');
  if (isObject) return { style: 'deepObject', explode: true };
  return type === 'array' ? { style: 'form', explode: name.endsWith('[]') } : {};
}

function requestBodyOf({ docs: { body, examples }, upload }: Route): Operation['requestBody'] {
  if (!body) return undefined;
  const bodies = examples.filter((example) => example.body !== undefined);
  const media = (schema: Schema, write: (value: unknown) => unknown): Media => ({
    schema,
    examples: Object.fromEntries(
      bodies.map(({ summary, body: value }, index) => [
        String(index + 1),
        { summary: summary ?? 'Example', value: write(value) },
      ]),
    ),
  });
  const asForm = (value: unknown) =>
    Object.fromEntries(Object.entries(value as object).flatMap(([name, member]) => formPairs(name, member)));
  const form = formOf(body);
  if (upload) {
    const properties = { ...form.properties, file: FILE };
    const schema = { ...form, properties, required: [...(form.required ?? []), 'file'] };
    return { required: true, content: { 'multipart/form-data': { schema } } };
  }
  return {
    required: (body.required?.length ?? 0) > 0,
    content: {
      'application/json': media(body, (value) => value),
      'application/x-www-form-urlencoded': media(form, asForm),
    },
  };
}

const FILE: Schema = { type: 'string', format: 'binary', description: 'The bytes of the file.' };

function responsesOf(
  route: Route,
  rules: Rules,
  tokenHeaders: readonly string[],
): Record<string, Response | Reference> {
  const { status = 200, answer } = route.docs;
  const headers = headerRefs(rules, tokenHeaders);
  const errors = errorResponses(route, rules);
  errors[429] = { ...errors[429]!, headers: { ...headers, 'Retry-After': header('Retry-After') } };
  const success = {
    description: status === 201 ? 'Created' : 'OK',
    headers,
    ...contentOf(answer, ANSWERS[operationIdOf(route)]),
  };
  const part = { description: 'The requested range of bytes', headers, content: FILE_CONTENT };
  const common = Object.keys(COMMON_RESPONSES).map((code) => [code, { $ref: `#/components/responses/${code}` }]);
  return { [status]: success, ...(answer === 'file' && { 206: part }), ...errors, ...Object.fromEntries(common) };
}

const FILE_CONTENT = { '*/*': { schema: { type: 'string', format: 'binary' } } };

/** @param example recorded from a service by `test/rest/openapi/json-examples.test.ts` */
function contentOf(answer: Route['docs']['answer'], example: unknown): { content?: Record<string, Media> } {
  switch (answer) {
    case 'nothing':
      return {};
    case 'file':
      return { content: FILE_CONTENT };
    case 'xml':
      return { content: { 'application/xml': { schema: { type: 'string' } } } };
    default:
      return { content: { 'application/json': { schema: answer, ...(example !== undefined && { example }) } } };
  }
}

export const expiryHeader = (tokenHeader: string) => `${tokenHeader}-ExpirationDate`;

function headerRefs({ access }: Rules, tokenHeaders: readonly string[]): Record<string, object> {
  const names = ['X-Request-Id', VERSION_HEADER, 'RateLimit', 'RateLimit-Policy'];
  const expiries = access === 'key' ? [] : tokenHeaders.map(expiryHeader);
  return Object.fromEntries([...names, ...expiries].map((name) => [name, header(name)]));
}

const header = (name: string) => ({ $ref: `#/components/headers/${name}` });
