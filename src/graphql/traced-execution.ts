import type { ExecutionArgs } from 'graphql';
import { type SpanOptions, traced } from '../server/observability/tracing.ts';
import { requestedOperation } from './operations.ts';

/** Executes an operation in a span of its own: below that of its request, or below none for a message of a socket. */
export function tracedExecution<Result>(
  { document, operationName }: Pick<ExecutionArgs, 'document' | 'operationName'>,
  execute: () => Result,
  options: SpanOptions = {},
): Result {
  const asked = requestedOperation(document, operationName);
  const attributes = {
    'graphql.operation.type': asked?.type,
    'graphql.operation.name': asked?.name,
    'atrium.root_fields': asked?.fields.join(','),
  };
  return traced(`graphql ${asked?.type ?? 'operation'}`, { ...options, attributes }, execute);
}
