import type { GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import type { Viewer } from '../lib/access.ts';
import { schema } from '../schema/index.ts';
import { schemaFor } from '../schema/typed/index.ts';
import { prepareDocument } from './documents.ts';

/**
 * The schema that a document is for: the service's own if it fits, or else that of the caller's application, which has
 * types for its classes too. So nobody waits for the latter to be built who does not ask for it.
 * @throws {ServiceError} why the credentials are refused, where the document is none of the service's own
 */
export async function schemaOfDocument(
  text: string,
  whoCalls: () => Viewer | Promise<Viewer>,
  log: Logger,
): Promise<GraphQLSchema> {
  const prepared = prepareDocument(text, schema);
  if (!prepared.errors && !prepared.introspects) return schema;
  const viewer = await whoCalls();
  // The document may fit the types of the application that the credentials were for: they are what is wrong with it.
  if (prepared.errors && viewer.kind === 'refused') throw viewer.reason;
  return schemaFor(viewer, log);
}
