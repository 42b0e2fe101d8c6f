import type { GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import type { Viewer } from '../lib/access.ts';
import { schema } from '../schema/index.ts';
import { schemaFor } from '../schema/typed/index.ts';
import { prepareDocument } from './documents.ts';

/**
 * The schema that a document is for: the service's own if it fits, or else that of the caller's application, which has
 * types for its classes too. So nobody waits for the latter to be built who does not ask for it.
 */
export async function schemaOfDocument(
  text: string,
  whoCalls: () => Viewer | Promise<Viewer>,
  log: Logger,
): Promise<GraphQLSchema> {
  const prepared = prepareDocument(text, schema);
  if (!prepared.errors && !prepared.introspects) return schema;
  return schemaFor(await whoCalls(), log);
}
