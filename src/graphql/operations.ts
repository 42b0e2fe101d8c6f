import { type DocumentNode, Kind, type OperationDefinitionNode, type SelectionSetNode } from 'graphql';

/** What a document asks for, in words for the log and the traces. */
export interface RequestedOperation {
  type: OperationDefinitionNode['operation'];
  /** The client's own name for it. */
  name: string | undefined;
  /** Root fields by their names in the schema, those of fragments left out. */
  fields: readonly string[];
}

const MAX_FIELDS = 10;
const MAX_NAME = 100;

const operations = new WeakMap<DocumentNode, Map<string, RequestedOperation>>();

/** The operation of a valid document that is to be executed; undefined when the name fits none. */
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
