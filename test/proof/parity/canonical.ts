import { snakeCase } from '../../support/operations/operation.ts';
import { CLOSED, type Outcome, UNREADABLE } from '../../support/operations/outcomes.ts';

// All permitted differences between the transports are defined here.

/** Some endpoints respond to all invalid input with the body `{}` or none. */
const WRONG_INPUT = new Set(['BAD_USER_INPUT', 'UNPROCESSABLE', UNREADABLE]);

const WRONG_CREDENTIALS = new Set(['UNAUTHENTICATED', 'NOT_FOUND']);

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
    name === 'tags' ? 'tag_list' : snakeCase(name),
    texts,
  ]);
  return JSON.stringify(rest) === JSON.stringify(Object.fromEntries(renamed));
}
