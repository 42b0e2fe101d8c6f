import type { DocumentNode, GraphQLError, GraphQLSchema } from 'graphql';
import type { Services } from '../context.ts';
import { isKnown, type Viewer } from '../lib/access.ts';
import type { Meter } from '../platform/limits/rate-limits.ts';
import { schema as serviceSchema } from '../schema/index.ts';
import { schemaFor } from '../schema/typed/index.ts';
import { prepareDocument, preparedDocument } from './documents.ts';
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
      /** Invalid variables; the document must not be executed. */
      problem: GraphQLError | undefined;
      errors?: undefined;
    }
  | { errors: readonly GraphQLError[] };

/**
 * Selects the schema of a document. A caller without remaining quota is refused before parsing, unless the document is
 * cached. A refused document counts as an operation.
 * @throws {GraphQLError} the quota is exhausted, or the credentials are invalid and the document does not fit the
 *    service schema
 */
export async function readRequest(
  { query, variables, operationName }: RequestText,
  { viewer, meter }: RequestCaller,
  { log, observer }: Pick<Services, 'log' | 'observer'>,
): Promise<ReadRequest> {
  if (!preparedDocument(query, serviceSchema)) await meter?.requireCapacity('default');
  const { schema, prepared } = await schemaOfDocument(query, viewer, log);
  if (prepared.errors) {
    await countRefused();
    return { errors: prepared.errors };
  }
  const problem = variableProblem({ ...prepared, schema, operationName, variables });
  if (problem) await countRefused();
  // Introspection runs no resolver that would count it.
  else if (prepared.introspects) await meter?.count('default');
  return { schema, document: prepared.document, problem };

  async function countRefused(): Promise<void> {
    observer.documentRefused();
    await meter?.count('default');
  }
}

/**
 * Prefers the service schema if the document fits, otherwise the typed schema of the application, so that other callers
 * do not wait for typed schemas to be built.
 */
async function schemaOfDocument(text: string, viewer: Viewer, log: Services['log']) {
  const prepared = prepareDocument(text, serviceSchema, isKnown(viewer));
  if (!prepared.errors && !prepared.introspects) return { schema: serviceSchema, prepared };
  // The document may be valid for the application of the rejected credentials, so report the credentials.
  if (prepared.errors && viewer.kind === 'refused') throw viewer.reason;
  const schema = await schemaFor(viewer, log);
  return schema === serviceSchema ? { schema, prepared } : { schema, prepared: prepareDocument(text, schema, true) };
}
