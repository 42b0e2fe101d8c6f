import { type DocumentNode, Kind, type OperationDefinitionNode, validate } from 'graphql';
import type { Access } from '../lib/access.ts';
import { operationAccess, operationLimit, schema } from '../schema/index.ts';
import type { LimitName } from '../server/limits/definitions.ts';
import type { Route } from './http/route.ts';

/** What the schema says of an endpoint's operation. */
export interface Rules {
  /** Name of its root field. */
  field: string;
  access: Access;
  limit: LimitName;
}

/** Documents that fit the schema; validating all of them takes longer than the rest of a start. */
const validDocuments = new WeakSet<DocumentNode>();

export function rulesOf(route: Route): Rules {
  const { field } = operationOf(route);
  const name = field.slice(field.indexOf('.') + 1);
  return { field: name, access: operationAccess.get(field)!, limit: operationLimit(field) };
}

/**
 * The operation behind a route: its name, `SendMessage`, and its one field, `Mutation.sendMessage`, whose rules are the
 * endpoint's. A document that does not fit the schema stops the start.
 */
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
