import { type DocumentNode, type FieldNode, Kind, type OperationDefinitionNode, print } from '@0no-co/graphql.web';
import type { DocumentDecoration } from './generated/gql-tada.d.ts';
import { newKey } from './keys.ts';

/**
 * A document with the types of its variables and result, from `graphql()` or any tool that creates `TypedDocumentNode`.
 */
export type Document<Data, Variables> = DocumentDecoration<Data, Variables> & {
  kind: string;
  definitions: readonly unknown[];
};

export type Values = Record<string, unknown>;

export interface Operation {
  kind: 'query' | 'mutation' | 'subscription';
  text: string;
  /** Root fields; undefined if the operation has a fragment at its root. */
  fields: FieldNode[] | undefined;
}

const known = new WeakMap<object, Operation>();

/** @throws {TypeError} not exactly one operation, or one of another kind */
export function operationOf(document: Document<unknown, never>, kind: Operation['kind']): Operation {
  const operation = known.get(document) ?? read(document as unknown as DocumentNode);
  known.set(document, operation);
  if (operation.kind !== kind) throw new TypeError(`Expected a ${kind}, but the document is a ${operation.kind}`);
  return operation;
}

function read(document: DocumentNode): Operation {
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  const [operation] = operations as OperationDefinitionNode[];
  if (!operation || operations.length > 1) throw new TypeError('A document must have exactly one operation');
  const { selections } = operation.selectionSet;
  const fields = selections.filter((selection): selection is FieldNode => selection.kind === Kind.FIELD);
  return {
    kind: operation.operation,
    text: print(document),
    fields: fields.length === selections.length ? fields : undefined,
  };
}

/**
 * Behavior after a reconnect. `resumed`: continues after the last cursor, found at `[field][cursor]`, with the variable
 * `since`. `repeated`: starts again, because it reports current state. `once`: fails, because the rest of a streamed
 * answer is lost.
 */
export type Continuation =
  | { kind: 'resumed'; field: string; cursor: string; since: string; isOfRequestLog: boolean }
  | { kind: 'repeated' | 'once'; field: string };

const OTHERS: Record<string, 'repeated' | 'once'> = {
  presence: 'repeated',
  typing: 'repeated',
  signals: 'repeated',
  jobChanged: 'repeated',
  answerStream: 'once',
  summaryStream: 'once',
};

/** @throws {TypeError} a resumable field without `since` and `cursor`, because a reconnect would lose events */
export function continuationOf({ fields }: Operation): Continuation {
  const [root] = fields ?? [];
  if (!root) throw new TypeError('The root field of a subscription must not be in a fragment');
  const field = keyOf(root);
  const other = OTHERS[root.name.value];
  if (other) return { kind: other, field };
  const since = root.arguments?.find(({ name }) => name.value === 'since')?.value;
  const cursor = root.selectionSet?.selections.find(
    (selection): selection is FieldNode => selection.kind === Kind.FIELD && selection.name.value === 'cursor',
  );
  if (since?.kind !== Kind.VARIABLE || !cursor) {
    const name = root.name.value;
    throw new TypeError(
      `To be resumable, it must have the form: subscription ($since: String) { ${name}(since: $since) { cursor … } }`,
    );
  }
  const isOfRequestLog = root.name.value === 'requestLogged';
  return { kind: 'resumed', field, cursor: keyOf(cursor), since: since.name.value, isOfRequestLog };
}

function keyOf({ alias, name }: FieldNode): string {
  return alias?.value ?? name.value;
}

/**
 * Adds a `clientId` to each message that lacks one.
 * @returns the variables, and whether the mutation can be repeated: it only sends messages, each with its own key
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
    // Two messages with the same key would be stored as one.
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
