import { API_VERSION, VERSION_HEADER } from '../http/versions.ts';
import { routes } from '../index.ts';
import { TAGS } from './docs/operation-docs.ts';
import type { Schema } from './docs/schemas.ts';
import { COMMON_RESPONSES, ERROR_BODIES } from './errors.ts';
import { merged } from './merging.ts';
import { describe, expiryHeader } from './operations.ts';
import { securitySchemes } from './security.ts';
import type { OpenApiDocument, Operation } from './types.ts';

/** The REST door as a document, made from its routes and from the schema behind them. */
export function openApiDocument(publicUrl: string, tokenHeaders: readonly string[]): OpenApiDocument {
  const paths = new Map<string, Record<string, Operation>>();
  // Paths that differ but in what they call their parameters are one.
  const templates = new Map<string, string>();
  for (const route of routes) {
    const { template, operation } = describe(route, tokenHeaders);
    const shape = template.replaceAll(/\{\w+\}/g, '{}');
    const known = templates.get(shape) ?? template;
    templates.set(shape, known);
    const item = paths.get(known) ?? {};
    const before = item[route.method];
    paths.set(known, { ...item, [route.method]: before ? merged(before, operation) : operation });
  }
  const schemas: Record<string, Schema> = { ...ERROR_BODIES };
  return {
    openapi: '3.1.1',
    info: { title: 'Atrium', version: API_VERSION, summary: 'An application backend over REST.', description: ABOUT },
    servers: [{ url: publicUrl }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: hoisted(Object.fromEntries(paths), schemas),
    components: {
      schemas,
      responses: COMMON_RESPONSES,
      headers: headersOf(tokenHeaders),
      securitySchemes: securitySchemes(tokenHeaders),
    },
  };
}

const ABOUT = `Every operation runs one of the GraphQL schema, after which it is named.

- **Paths** may end in \`.json\`, which says nothing, or in \`.xml\`: then the answer is XML, which says the same.
- **Parameters** are the union of query and body, with any method: JSON, a form or multipart, with bracket keys for what
  is nested (\`user[login]=bob\`). Unknown ones are ignored. Numbers and booleans may come as texts, lists as
  texts with commas.
- **Credentials**: a session token or an API key, never both. A session ends when it is not used for a while; each
  answer says when, in \`<token header>-ExpirationDate\`.
- **Limits**: a body has at most 1 MiB (address books 4, files 100); how many requests are welcome is in \`RateLimit\`.
- **Headers** that are told of successes come with errors, too.`;

/** Where a schema has a title, it is told once, among the components. */
function hoisted<Value>(value: Value, schemas: Record<string, Schema>): Value {
  if (Array.isArray(value)) return value.map((item) => hoisted(item, schemas)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const { title, ...schema } = Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, hoisted(member, schemas)]),
  );
  if (typeof title !== 'string') return (title === undefined ? schema : { title, ...schema }) as Value;
  const known = schemas[title];
  if (known && JSON.stringify(known) !== JSON.stringify(schema)) throw new Error(`there are two schemas ${title}`);
  schemas[title] = schema;
  return { $ref: `#/components/schemas/${title}` } as Value;
}

function headersOf(tokenHeaders: readonly string[]): Record<string, object> {
  const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example });
  return {
    'X-Request-Id': text('Names the request in logs.', '1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed'),
    [VERSION_HEADER]: text('Version of the interface.', API_VERSION),
    RateLimit: text('What is left of the quota; absent where limits are off.', '"default";r=599;t=60'),
    'RateLimit-Policy': text('The quota.', '"default";q=600;w=60'),
    'Retry-After': text('Seconds until the next request is welcome.', '12'),
    ...Object.fromEntries(
      tokenHeaders.map((name) => [
        expiryHeader(name),
        text('When the session of the request ends unless another comes.', '2026-11-20 19:46:59 UTC'),
      ]),
    ),
  };
}
