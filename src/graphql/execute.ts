import { execute as executeOperation } from '@graphql-tools/executor';
import type { ExecutionArgs, ExecutionResult } from 'graphql';

/**
 * Executes a query or mutation, the same way at every door. Fields take it less than half the time of graphql-js' own
 * (docs/performance.md).
 */
export async function execute(operation: ExecutionArgs): Promise<ExecutionResult> {
  // Answers in parts are for `@defer` and `@stream`, which the schema does not have.
  return executeOperation(operation) as Promise<ExecutionResult>;
}
