import { buildClientSchema, type GraphQLSchema, getIntrospectionQuery } from 'graphql';
import { graphqlUrl } from '../root.ts';

/** The schema depends on the credentials: an application has types for its own classes. @throws {Error} refused */
export async function loadSchema(headers: Record<string, string>, signal: AbortSignal): Promise<GraphQLSchema> {
  const response = await fetch(graphqlUrl, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ query: getIntrospectionQuery(), operationName: 'IntrospectionQuery' }),
    signal,
  });
  const { data, errors } = await response.json();
  if (errors) throw new Error(errors[0].message);
  return buildClientSchema(data);
}
