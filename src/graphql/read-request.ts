import type { DocumentNode, GraphQLError, GraphQLSchema } from 'graphql';
import type { Services } from '../context.ts';
import type { Viewer } from '../lib/access.ts';
import { schema as serviceSchema } from '../schema/index.ts';
import { schemaFor } from '../schema/typed/index.ts';
import type { Meter } from '../server/limits/rate-limits.ts';
import { knownDocument, prepareDocument } from './documents.ts';
import { variableProblem } from './variables.ts';

export interface RequestText {
  query: string;
  variables?: unknown;
  operationName?: string | null | undefined;
}

export interface RequestCaller {
  viewer: Viewer;
  meter: Meter | undefined;
}

export type ReadRequest =
  | {
      schema: GraphQLSchema;
      document: DocumentNode;
      /** Why the document is not executed: its variables. */
      problem: GraphQLError | undefined;
      errors?: undefined;
    }
  | { errors: readonly GraphQLError[] };

/**
 * The document of a request with the schema it is for, or why it is refused. A caller whose quota is used up is refused
 * before the document is parsed, unless it is known. A refused document counts as an operation.
 * @throws {GraphQLError} the quota is used up, the variables are refused, or the credentials for a document that does
 *   not fit the service's own schema
 */
export async function readRequest(
  { query, variables, operationName }: RequestText,
  { viewer, meter }: RequestCaller,
  { log, observer }: Pick<Services, 'log' | 'observer'>,
): Promise<ReadRequest> {
  if (!knownDocument(query, serviceSchema)) await meter?.requireCapacity('default');
  const { schema, prepared } = await schemaOfDocument(query, viewer, log);
  if (prepared.errors) {
    await countRefused();
    return { errors: prepared.errors };
  }
  const problem = variableProblem({ ...prepared, schema, operationName, variables });
  if (problem) await countRefused();
  // No resolver counts it.
  else if (prepared.introspects) await meter?.count('default');
  return { schema, document: prepared.document, problem };

  async function countRefused(): Promise<void> {
    observer.documentRefused();
    await meter?.count('default');
  }
}

/**
 * The schema that a document is for: the service's own if it fits, else that of the caller's application, which has
 * types for its classes too. So nobody waits for the latter to be built who does not ask for it.
 */
async function schemaOfDocument(text: string, viewer: Viewer, log: Services['log']) {
  const isKnownCaller = viewer.kind !== 'anonymous' && viewer.kind !== 'refused';
  const prepared = prepareDocument(text, serviceSchema, isKnownCaller);
  if (!prepared.errors && !prepared.introspects) return { schema: serviceSchema, prepared };
  // The document may fit the types of the application that the credentials were for: they are what is wrong with it.
  if (prepared.errors && viewer.kind === 'refused') throw viewer.reason;
  const schema = await schemaFor(viewer, log);
  return schema === serviceSchema ? { schema, prepared } : { schema, prepared: prepareDocument(text, schema, true) };
}
