import type { ExecutionArgs } from 'graphql';
import { type SpanOptions, traced } from '../platform/observability/tracing.ts';
import { requestedOperation } from './operations.ts';

/** A child of the request span, or a root span for a WebSocket message. */
export function tracedExecution<Result>(
  { document, operationName }: Pick<ExecutionArgs, 'document' | 'operationName'>,
  execute: () => Result,
  options: SpanOptions = {},
): Result {
  const operation = requestedOperation(document, operationName);
  const attributes = {
    'graphql.operation.type': operation?.type,
    'graphql.operation.name': operation?.name,
    'atrium.root_fields': operation?.fields.join(','),
  };
  return traced(`graphql ${operation?.type ?? 'operation'}`, { ...options, attributes }, execute);
}
