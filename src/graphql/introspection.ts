import {
  type DocumentNode,
  type ExecutionResult,
  executeSync,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  Kind,
  print,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { WeightedCache } from '../lib/weighted-cache.ts';
import { keepText } from './websocket/frames.ts';

/** Maximum tokens of a plain introspection; tools send about 300. */
const MAX_TOKENS = 1_000;

/** The allowed fields with selections, and their allowed subfields. */
interface Shape {
  [field: string]: Shape;
}

const REFERENCE: Shape = {};
REFERENCE.ofType = REFERENCE;
const INPUT: Shape = { type: REFERENCE };
const FIELD: Shape = { type: REFERENCE, args: INPUT };
const TYPE: Shape = {
  fields: FIELD,
  inputFields: INPUT,
  enumValues: {},
  interfaces: REFERENCE,
  possibleTypes: REFERENCE,
  ofType: REFERENCE,
};
const SCHEMA: Shape = {
  queryType: REFERENCE,
  mutationType: REFERENCE,
  subscriptionType: REFERENCE,
  types: TYPE,
  directives: { args: INPUT },
};
const ROOT: Shape = { __schema: SCHEMA };

const keys = new WeakMap<DocumentNode, string>();

/**
 * Whether a document is a single introspection query like those of explorers and code generators: without aliases,
 * directives or variables, and without a path from a type back to its fields. Its result is no larger than a full
 * introspection, so it needs no limit and is cached for all callers.
 */
export function isPlainIntrospection(document: DocumentNode): boolean {
  if (keys.has(document)) return true;
  const operations = document.definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
  const [operation] = operations;
  const isSingle = operations.length === 1 && operation!.operation === 'query';
  if (!isSingle || operation!.variableDefinitions?.length || operation!.directives?.length) return false;
  if ((document.tokenCount ?? Number.POSITIVE_INFINITY) > MAX_TOKENS) return false;
  if (!new PlainSelections(document).fit(operation!.selectionSet, ROOT)) return false;
  const definitions = document.definitions.map((one) => (one === operation ? { ...one, name: undefined } : one));
  keys.set(document, print({ ...document, definitions } as DocumentNode));
  return true;
}

class PlainSelections {
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #fitting = new Map<Shape, Set<string>>();

  constructor({ definitions }: DocumentNode) {
    const fragments = definitions.filter((one) => one.kind === Kind.FRAGMENT_DEFINITION);
    this.#fragments = new Map(fragments.map((one) => [one.name.value, one]));
  }

  fit({ selections }: SelectionSetNode, shape: Shape): boolean {
    return selections.every((selection) => this.#fits(selection, shape));
  }

  #fits(selection: SelectionNode, shape: Shape): boolean {
    if (selection.directives?.length) return false;
    if (selection.kind === Kind.INLINE_FRAGMENT) return this.fit(selection.selectionSet, shape);
    if (selection.kind === Kind.FRAGMENT_SPREAD) return this.#fragmentFits(selection.name.value, shape);
    const { alias, name, arguments: args = [], selectionSet } = selection;
    if (alias || args.some(({ value }) => value.kind !== Kind.BOOLEAN)) return false;
    if (!selectionSet) return shape !== ROOT || name.value === '__typename';
    const below = Object.hasOwn(shape, name.value) ? shape[name.value] : undefined;
    return below !== undefined && this.fit(selectionSet, below);
  }

  #fragmentFits(name: string, shape: Shape): boolean {
    const fitting = this.#fitting.get(shape) ?? new Set<string>();
    if (fitting.has(name)) return true;
    this.#fitting.set(shape, fitting.add(name));
    const fragment = this.#fragments.get(name);
    return fragment !== undefined && !fragment.directives?.length && this.fit(fragment.selectionSet, shape);
  }
}

/** Weight of a cached result and its text; objects take about four times the size of their text. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;
const BYTES_PER_CHARACTER = 5;

const answers = new WeightedCache<ExecutionResult>(MAX_KEPT_BYTES);
const schemaIds = new WeakMap<GraphQLSchema, number>();
let schemas = 0;

export function idOf(schema: GraphQLSchema): number {
  const id = schemaIds.get(schema) ?? ++schemas;
  schemaIds.set(schema, id);
  return id;
}

/** @returns undefined for documents that are not plain introspection */
export function keptIntrospection(document: DocumentNode, schema: GraphQLSchema): ExecutionResult | undefined {
  const text = keys.get(document);
  if (text === undefined) return undefined;
  const key = `${idOf(schema)} ${text}`;
  const cached = answers.get(key);
  if (cached) return cached;
  const answer = executeSync({ schema, document });
  const json = JSON.stringify(answer);
  keepText(answer, json);
  // The HTTP transport calls `stringify` of a result.
  const kept = Object.defineProperty(answer, 'stringify', { value: () => json, enumerable: false });
  answers.set(key, kept, json.length * BYTES_PER_CHARACTER);
  return kept;
}
