import { type DocumentNode, type FieldNode, Kind, type OperationDefinitionNode, print } from '@0no-co/graphql.web';
import type { DocumentDecoration } from 'gql.tada';

/** A document with the types of its variables and answer, made by `graphql()` or any tool that makes `TypedDocumentNode`. */
export type Document<Data, Variables> = DocumentDecoration<Data, Variables> & {
  kind: string;
  definitions: readonly unknown[];
};

export type Values = Record<string, unknown>;

/** The one operation of a document. */
export interface Operation {
  kind: 'query' | 'mutation' | 'subscription';
  text: string;
  /** Its root fields; undefined where a fragment brings some. */
  fields: FieldNode[] | undefined;
}

const known = new WeakMap<object, Operation>();

/** @throws {TypeError} the document has not exactly one operation, or one of another kind */
export function operationOf(document: Document<unknown, never>, kind: Operation['kind']): Operation {
  const operation = known.get(document) ?? read(document as unknown as DocumentNode);
  known.set(document, operation);
  if (operation.kind !== kind) throw new TypeError(`This document is a ${operation.kind} and no ${kind}`);
  return operation;
}

function read(document: DocumentNode): Operation {
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  const [operation] = operations as OperationDefinitionNode[];
  if (!operation || operations.length > 1) throw new TypeError('A document needs exactly one operation');
  const { selections } = operation.selectionSet;
  const fields = selections.filter((selection): selection is FieldNode => selection.kind === Kind.FIELD);
  return {
    kind: operation.operation,
    text: print(document),
    fields: fields.length === selections.length ? fields : undefined,
  };
}

/**
 * What becomes of a subscription whose connection is lost. `resumed`: it goes on behind its last cursor, which the
 * answer has at `[field][cursor]`, by the variable `since`. `repeated`: it tells what is now, so it begins anew.
 * `once`: an answer that comes in parts; its rest is lost.
 */
export type Continuation =
  | { kind: 'resumed'; field: string; cursor: string; since: string }
  | { kind: 'repeated' | 'once'; field: string };

const OTHERS: Record<string, 'repeated' | 'once'> = {
  presence: 'repeated',
  typing: 'repeated',
  answerStream: 'once',
  summaryStream: 'once',
};

/** @throws {TypeError} it could be resumed and is not written so: then a loss of connection would be one of events */
export function continuationOf({ fields }: Operation): Continuation {
  const [root] = fields ?? [];
  if (!root) throw new TypeError('A subscription needs its root field in the operation itself');
  const field = keyOf(root);
  const other = OTHERS[root.name.value];
  if (other) return { kind: other, field };
  const since = root.arguments?.find(({ name }) => name.value === 'since')?.value;
  const cursor = root.selectionSet?.selections.find(
    (selection): selection is FieldNode => selection.kind === Kind.FIELD && selection.name.value === 'cursor',
  );
  if (since?.kind !== Kind.VARIABLE || !cursor) {
    const name = root.name.value;
    throw new TypeError(`To be resumed, write: subscription ($since: String) { ${name}(since: $since) { cursor … } }`);
  }
  return { kind: 'resumed', field, cursor: keyOf(cursor), since: since.name.value };
}

function keyOf({ alias, name }: FieldNode): string {
  return alias?.value ?? name.value;
}

/**
 * Gives each message that a mutation sends a `clientId`, unless it has one.
 * @returns the variables, and whether the mutation may be sent twice: it sends messages, each by a key, and nothing else
 */
export function withClientIds({ fields }: Operation, variables: Values): { variables: Values; isRepeatable: boolean } {
  const refused = { variables, isRepeatable: false };
  const keyed = new Set<string>();
  let given = variables;
  for (const field of fields ?? []) {
    const input = field.arguments?.find(({ name }) => name.value === 'input')?.value;
    if (field.name.value !== 'sendMessage' || !input) return refused;
    const clientId =
      input.kind === Kind.OBJECT ? input.fields.find(({ name }) => name.value === 'clientId')?.value : undefined;
    const variable = input.kind === Kind.VARIABLE ? input : clientId;
    if (variable?.kind === Kind.STRING) continue;
    // One key for two messages would make them one.
    if (variable?.kind !== Kind.VARIABLE || keyed.has(variable.name.value)) return refused;
    const name = variable.name.value;
    keyed.add(name);
    const value = given[name] as Values | null | undefined;
    given = {
      ...given,
      [name]: variable === input ? { ...value, clientId: value?.clientId ?? newKey() } : (value ?? newKey()),
    };
  }
  return { variables: given, isRepeatable: Boolean(fields?.length) };
}

/** 128 random bits; `randomUUID` exists in secure contexts alone. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
