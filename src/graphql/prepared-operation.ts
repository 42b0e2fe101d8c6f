import type { DocumentNode } from 'graphql';
import type { Context } from '../context.ts';
import { schema } from '../schema/index.ts';
import { CompiledOperation } from './compiled-operation.ts';
import { tracedExecution } from './traced-execution.ts';

/** Compiled on first use, so that the start is fast. */
const operations = new WeakMap<DocumentNode, CompiledOperation>();

/** For documents of the service itself; tests validate them. @throws {GraphQLError} the first error */
export function executePrepared(
  document: DocumentNode,
  variables: Record<string, unknown>,
  context: Context,
): Promise<unknown> {
  const cached = operations.get(document);
  const operation = cached ?? new CompiledOperation(schema, document, { inProcess: ['DateTime'] });
  if (!cached) operations.set(document, operation);
  return tracedExecution({ document }, () => operation.execute(variables, context));
}
