import { type DocumentNode, Kind, type OperationDefinitionNode, validate } from 'graphql';
import type { Access } from '../lib/access.ts';
import { operationAccess, operationLimit, schema } from '../schema/index.ts';
import type { LimitName } from '../server/limits/definitions.ts';
import type { Route } from './http/route.ts';

export interface Rules {
  /** Root field. */
  field: string;
  access: Access;
  limit: LimitName;
}

/** Cached, because validating all documents takes longer than the rest of the startup. */
const validDocuments = new WeakSet<DocumentNode>();

export function rulesOf(route: Route): Rules {
  const { field } = operationOf(route);
  const name = field.slice(field.indexOf('.') + 1);
  return { field: name, access: operationAccess.get(field)!, limit: operationLimit(field) };
}

/** `SendMessage` and `Mutation.sendMessage`. Throws on a document that is invalid or has several root fields. */
export function operationOf({ method, path, document }: Route): { name: string; field: string } {
  if (!validDocuments.has(document)) {
    const [error] = validate(schema, document);
    if (error) throw new Error(`${method} ${path}: ${error.message}`);
    validDocuments.add(document);
  }
  const operation = document.definitions.find(
    (definition): definition is OperationDefinitionNode => definition.kind === Kind.OPERATION_DEFINITION,
  )!;
  const [field, ...others] = operation.selectionSet.selections;
  if (field?.kind !== Kind.FIELD || others.length > 0) throw new Error(`${method} ${path}: one root field is needed`);
  const type = operation.operation === 'query' ? 'Query' : 'Mutation';
  return { name: operation.name!.value, field: `${type}.${field.name.value}` };
}
