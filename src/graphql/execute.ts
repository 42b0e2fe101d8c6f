import {
  type ExecutionArgs,
  type ExecutionResult,
  execute as executeOperation,
  getOperationAST,
  type OperationDefinitionNode,
} from 'graphql';
import type { Context } from '../context.ts';
import { WeightedCache } from '../lib/weighted-cache.ts';
import { CompiledOperation, UnsupportedDocument } from './compiled-operation.ts';
import { documentBytes } from './documents.ts';
import { keptIntrospection } from './introspection.ts';

/** For valid documents of clients on all transports; variables must be valid, too. */
export async function execute(args: ExecutionArgs): Promise<ExecutionResult> {
  const introspection = keptIntrospection(args.document, args.schema);
  if (introspection) return introspection;
  const context = args.contextValue as Context;
  const compiled = compiledOf(args);
  const result = compiled
    ? await compiled.executePartially(args.variableValues ?? {}, context)
    : await executeOperation(args);
  return bounded(result, context);
}

export function bounded(result: ExecutionResult, { responseSize }: Pick<Context, 'responseSize'>): ExecutionResult {
  return responseSize?.problem ? { errors: [responseSize.problem] } : result;
}

const MAX_COMPILED_BYTES = 32 * 1024 * 1024;
/** Heap of one compiled field, measured and rounded up. */
const FIELD_BYTES = 3_500;

/** By operation node, which belongs to one schema; null if unsupported. */
const operations = new WeightedCache<CompiledOperation | null, OperationDefinitionNode>(MAX_COMPILED_BYTES);

export function compiledBytes(): number {
  return operations.weight;
}

function compiledOf(args: ExecutionArgs): CompiledOperation | null {
  const operation = getOperationAST(args.document, args.operationName);
  if (!operation) return null;
  const cached = operations.get(operation);
  if (cached !== undefined) return cached;
  const compiled = compile(args);
  operations.set(operation, compiled, documentBytes(args.document) + FIELD_BYTES * (compiled?.fieldCount ?? 0));
  return compiled;
}

function compile({ schema, document, operationName }: ExecutionArgs): CompiledOperation | null {
  try {
    return new CompiledOperation(schema, document, { operationName });
  } catch (error) {
    if (error instanceof UnsupportedDocument) return null;
    throw error;
  }
}
