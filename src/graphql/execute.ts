import { execute as executeOperation } from '@graphql-tools/executor';
import type { ExecutionArgs, ExecutionResult } from 'graphql';
import type { Context } from '../context.ts';
import { keptIntrospection } from './introspection.ts';

/**
 * Executes a query or mutation, the same way at every door. Fields take it less than half the time of graphql-js' own
 * (docs/performance.md).
 */
export async function execute(operation: ExecutionArgs): Promise<ExecutionResult> {
  const introspection = keptIntrospection(operation.document, operation.schema);
  if (introspection) return introspection;
  // Answers in parts are for `@defer` and `@stream`, which the schema does not have.
  return bounded((await executeOperation(operation)) as ExecutionResult, operation.contextValue as Context);
}

/** The result, or the error in its place when it became too large while it was made. */
export function bounded(result: ExecutionResult, { responseSize }: Pick<Context, 'responseSize'>): ExecutionResult {
  return responseSize?.problem ? { errors: [responseSize.problem] } : result;
}
