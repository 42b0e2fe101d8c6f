import { root } from '../root.ts';

/** Who sends the request of a sample. Secrets are variables of the environment. */
export interface Caller {
  kind: 'none' | 'key' | 'token';
  /** Id of a user; only with an API key. */
  onBehalfOf?: number | undefined;
}

interface Operation {
  query: string;
  variables: object;
  operationName?: string | undefined;
}

const SERVICE = root.href.replace(/\/$/, '');
const HEADERS = { none: [], key: ['Authorization: ApiKey $ATRIUM_API_KEY'], token: ['SVC-Token: $ATRIUM_TOKEN'] };
export const BY_KEY: Caller = { kind: 'key' };

/** In single quotes for a shell. */
export const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
/** An address of the service for a shell. */
export const address = (path: string) => quoted(`${SERVICE}${path}`);

/** Options of curl. */
export function headersOf({ kind, onBehalfOf }: Caller, ...more: string[]): string {
  const user = kind === 'key' && onBehalfOf !== undefined ? [`On-Behalf-Of: ${onBehalfOf}`] : [];
  return [...HEADERS[kind], ...user, ...more].map((header) => `-H "${header}"`).join(' ');
}

/** A request to the GraphQL endpoint; of a subscription, the stream of its events. */
export function curlOf({ query, variables, operationName }: Operation, caller: Caller, isStream = false): string {
  const body = quoted(JSON.stringify({ query, variables, ...(operationName && { operationName }) }));
  const headers = headersOf(
    caller,
    'Content-Type: application/json',
    ...(isStream ? ['Accept: text/event-stream'] : []),
  );
  return `curl ${isStream ? '-N ' : ''}${address('/graphql')} ${headers} -d ${body}`;
}

const METHODS = { query: 'query', mutation: 'mutate', subscription: 'subscribe' } as const;

/** A program for Node.js. */
export function typeScriptOf(
  { query, variables }: Operation,
  { kind, onBehalfOf }: Caller,
  operation: keyof typeof METHODS,
): string {
  const options = [
    `url: '${SERVICE}'`,
    ...(kind === 'key' ? ['apiKey: process.env.ATRIUM_API_KEY!'] : []),
    ...(kind === 'key' && onBehalfOf !== undefined ? [`onBehalfOf: ${onBehalfOf}`] : []),
  ].join(', ');
  const call = `client.${METHODS[operation]}(document, variables)`;
  return [
    "import { createClient, graphql } from '@atrium/client';",
    '',
    `const client = createClient({ ${options} });`,
    ...(kind === 'token' ? ["await client.signIn({ login: 'alice', password: process.env.ATRIUM_PASSWORD! });"] : []),
    `const document = graphql(\`${query.replaceAll(/[\\`$](?=\{)|[\\`]/g, String.raw`\$&`).trim()}\`);`,
    `const variables = ${JSON.stringify(variables, null, 2)};`,
    operation === 'subscription'
      ? `for await (const event of ${call}) console.log(event);`
      : `console.log(await ${call});`,
  ].join('\n');
}
