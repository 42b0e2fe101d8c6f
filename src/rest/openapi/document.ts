import { API_VERSION, VERSION_HEADER } from '../http/versions.ts';
import { routes } from '../index.ts';
import { TAGS } from './docs/operation-docs.ts';
import type { Schema } from './docs/schemas.ts';
import { COMMON_RESPONSES, ERROR_BODIES } from './errors.ts';
import { merged } from './merging.ts';
import { describe, expiryHeader } from './operations.ts';
import { securitySchemes } from './security.ts';
import type { OpenApiDocument, Operation } from './types.ts';

export function openApiDocument(publicUrl: string, tokenHeaders: readonly string[]): OpenApiDocument {
  const paths = new Map<string, Record<string, Operation>>();
  // OpenAPI does not allow paths that differ only in the names of their parameters.
  const templates = new Map<string, string>();
  for (const route of routes) {
    const { template, operation } = describe(route, tokenHeaders);
    const shape = template.replaceAll(/\{\w+\}/g, '{}');
    const path = templates.get(shape) ?? template;
    templates.set(shape, path);
    const item = paths.get(path) ?? {};
    const before = item[route.method];
    paths.set(path, { ...item, [route.method]: before ? merged(before, operation) : operation });
  }
  const schemas: Record<string, Schema> = { ...ERROR_BODIES };
  return {
    openapi: '3.1.1',
    info: { title: 'Atrium', version: API_VERSION, summary: 'REST API of an application backend.', description: ABOUT },
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

const ABOUT = `Each operation runs one operation of the GraphQL schema, under the same name and the same rules.

- **Paths** may end in \`.json\` or \`.xml\`. With \`.xml\`, the response is XML with the same content. All other
  responses are JSON.
- **Parameters** can be sent in the query, in the body, or in both, with every method. Bodies are JSON, a form or
  multipart. Forms and queries write nested parameters with brackets (\`user[login]=bob\`). Numbers and booleans may be
  sent as text, and lists as text with commas. Unknown parameters are ignored.
- **Credentials** are a session token or an API key; a request with both is refused. A session expires if it is not used.
  Each response to a request with a valid token has the expiry in \`SVC-Token-ExpirationDate\`, or with the name of the
  token header that the operator has configured.
- **Limits**: a body may have up to 1 MiB, an address book 4 MiB, a file upload 100 MiB. Each response has the remaining
  requests in \`RateLimit\`.
- **Version**: the version of this document is that of the REST contract, not of the service.
- **Headers** documented for successful responses are also sent with errors.`;

function hoisted<Value>(value: Value, schemas: Record<string, Schema>): Value {
  if (Array.isArray(value)) return value.map((item) => hoisted(item, schemas)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const { title, ...schema } = Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, hoisted(member, schemas)]),
  );
  if (typeof title !== 'string') return (title === undefined ? schema : { title, ...schema }) as Value;
  const known = schemas[title];
  if (known && JSON.stringify(known) !== JSON.stringify(schema))
    throw new Error(`Two different schemas are named ${title}`);
  schemas[title] = schema;
  return { $ref: `#/components/schemas/${title}` } as Value;
}

function headersOf(tokenHeaders: readonly string[]): Record<string, object> {
  const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example });
  return {
    'X-Request-Id': text('Id of the request, as in the log of the server.', '1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed'),
    [VERSION_HEADER]: text('Version of the REST contract.', API_VERSION),
    RateLimit: text(
      'Remaining requests `r`, and seconds `t` until the quota is reset. Absent if rate limits are off.',
      '"default";r=599;t=60',
    ),
    'RateLimit-Policy': text(
      'Quota `q` of requests in `w` seconds. Absent if rate limits are off.',
      '"default";q=600;w=60',
    ),
    'Retry-After': text('Seconds to wait before the next request.', '12'),
    ...Object.fromEntries(
      tokenHeaders.map((name) => [
        expiryHeader(name),
        text('Time at which the session expires unless it is used again.', '2026-11-20 19:46:59 UTC'),
      ]),
    ),
  };
}
