import { type DocumentNode, Kind, type OperationDefinitionNode, type SelectionSetNode } from 'graphql';

export interface RequestedOperation {
  type: OperationDefinitionNode['operation'];
  name: string | undefined;
  /** Root fields by schema name, without those of fragments. */
  fields: readonly string[];
}

const MAX_FIELDS = 10;
const MAX_NAME = 100;

const operations = new WeakMap<DocumentNode, Map<string, RequestedOperation>>();

/** @returns undefined when no operation has the name */
export function requestedOperation(
  document: DocumentNode,
  operationName?: string | null,
): RequestedOperation | undefined {
  const ofDocument = operations.get(document) ?? new Map<string, RequestedOperation>();
  operations.set(document, ofDocument);
  const key = operationName ?? '';
  const operation = ofDocument.get(key) ?? read(document, operationName);
  if (operation) ofDocument.set(key, operation);
  return operation;
}

function read(document: DocumentNode, operationName?: string | null): RequestedOperation | undefined {
  const operation = document.definitions.find(
    (one): one is OperationDefinitionNode =>
      one.kind === Kind.OPERATION_DEFINITION && (!operationName || one.name?.value === operationName),
  );
  return (
    operation && {
      type: operation.operation,
      name: operation.name?.value.slice(0, MAX_NAME),
      fields: fieldsOf(operation.selectionSet),
    }
  );
}

function fieldsOf({ selections }: SelectionSetNode): string[] {
  const names = selections.flatMap((selection) => (selection.kind === Kind.FIELD ? [selection.name.value] : []));
  return [...new Set(names)].slice(0, MAX_FIELDS);
}
