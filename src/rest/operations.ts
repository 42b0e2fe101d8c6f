import { type DocumentNode, Kind, type OperationDefinitionNode } from 'graphql';
import type { Access } from '../lib/access.ts';
import { requiredScope } from '../lib/scopes.ts';
import type { LimitName } from '../platform/limits/definitions.ts';
import { operationAccess, operationLimit, scopeOf } from '../schema/index.ts';

export interface Rules {
  field: string;
  access: Access;
  limit: LimitName;
  /** What a restricted API key needs; undefined: nothing, or no key may call it. */
  scope: string | undefined;
}

interface Executed {
  method: string;
  path: string;
  document: DocumentNode;
}

export function rulesOf(route: Executed): Rules {
  const { field } = operationOf(route);
  const name = field.slice(field.indexOf('.') + 1);
  const declared = scopeOf(name);
  const scope = declared && requiredScope(declared, field.startsWith('Mutation.'));
  return { field: name, access: operationAccess.get(field)!, limit: operationLimit(field), scope };
}

/** Tests validate the documents, because that takes longer than the rest of the start. @throws several root fields */
export function operationOf({ method, path, document }: Executed): {
  name: string;
  field: string;
} {
  const operation = document.definitions.find(
    (definition): definition is OperationDefinitionNode => definition.kind === Kind.OPERATION_DEFINITION,
  )!;
  const [field, ...others] = operation.selectionSet.selections;
  if (field?.kind !== Kind.FIELD || others.length > 0) throw new Error(`${method} ${path}: one root field is needed`);
  const type = operation.operation === 'query' ? 'Query' : 'Mutation';
  return { name: operation.name!.value, field: `${type}.${field.name.value}` };
}
