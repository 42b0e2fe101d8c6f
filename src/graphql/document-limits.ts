import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  visit,
} from 'graphql';
import { DEFAULT_PAGE, MAX_PAGE } from '../lib/pagination.ts';

/** Limits of one document over HTTP and WebSocket, checked before execution. */
export const LIMITS = {
  tokens: 10_000,
  depth: 12,
  aliases: 50,
  /** Characters of an alias, which the response repeats for each item of a list. */
  aliasLength: 100,
  /** Characters of any other name, because errors suggest similar names at a cost that grows with the length. */
  nameLength: 255,
  rootFields: 50,
  cost: 5_000,
  /** Bounded because validation rules visit all fragments for each operation, and pairs of fragments. */
  operations: 50,
  fragments: 200,
};

const OBJECT_COST = 2;
const SCALAR_COST = 1;

/** Without one of these, a list returns its default page. */
const PAGE_ARGUMENTS: readonly string[] = ['first', 'last', 'limit'];

/**
 * Assumed lengths of introspection lists. Most are shorter; the limit of the response size bounds the few longer ones.
 */
const INTROSPECTION_ITEMS: Record<string, number> = {
  '__Schema.types': 50,
  '__Schema.directives': 5,
  '__Type.fields': 10,
  '__Type.inputFields': 10,
  '__Type.enumValues': 10,
  '__Type.possibleTypes': 10,
  '__Type.interfaces': 3,
  '__Field.args': 3,
  '__Directive.args': 3,
};

const META_TYPES: Record<string, GraphQLNamedType> = {
  __schema: getNamedType(SchemaMetaFieldDef.type),
  __type: getNamedType(TypeMetaFieldDef.type),
};

interface Measures {
  aliases: number;
  aliasLength: number;
  depth: number;
  cost: number;
  fields: number;
}

const NOTHING: Measures = { aliases: 0, aliasLength: 0, depth: 0, cost: 0, fields: 0 };

export interface DocumentFacts {
  document: DocumentNode;
  schema: GraphQLSchema;
  /** When undefined, page sizes in variables count as 1. */
  variables?: Readonly<Record<string, unknown>>;
}

/** Checks the limits that must hold before validation: definitions and name lengths. */
export function definitionProblem(document: DocumentNode): GraphQLError | undefined {
  const { definitions } = document;
  const operations = definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION).length;
  const fragments = definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION).length;
  if (operations > LIMITS.operations) return exceeded('Operations', LIMITS.operations, operations);
  if (fragments > LIMITS.fragments) return exceeded('Fragments', LIMITS.fragments, fragments);
  const longest = longestName(document);
  return longest > LIMITS.nameLength ? exceeded('Name length', LIMITS.nameLength, longest) : undefined;
}

function longestName(document: DocumentNode): number {
  let longest = 0;
  visit(document, {
    Name: ({ value }) => {
      longest = Math.max(longest, value.length);
    },
  });
  return longest;
}

/** Introspection counts like other fields; a fragment counts at each spread. */
export function limitProblem(facts: DocumentFacts): GraphQLError | undefined {
  const measurement = new Measurement(facts);
  for (const operation of facts.document.definitions) {
    if (operation.kind !== Kind.OPERATION_DEFINITION) continue;
    const { aliases, aliasLength, depth, cost, fields } = measurement.measure(operation);
    if (fields > LIMITS.rootFields) {
      return new GraphQLError(`An operation may have at most ${LIMITS.rootFields} root fields`);
    }
    if (depth > LIMITS.depth) return exceeded('Query depth', LIMITS.depth, depth);
    if (aliasLength > LIMITS.aliasLength) return exceeded('Alias length', LIMITS.aliasLength, aliasLength);
    if (aliases > LIMITS.aliases) return exceeded('Aliases', LIMITS.aliases, aliases);
    if (cost > LIMITS.cost) return exceeded('Query Cost', LIMITS.cost, cost);
  }
  return undefined;
}

const exceeded = (quantity: string, limit: number, found: number) =>
  new GraphQLError(`${quantity} limit of ${limit} exceeded, found ${found}.`);

export function hasPagesInVariables({ document, schema }: DocumentFacts): boolean {
  const measurement = new Measurement({ document, schema });
  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) measurement.measure(definition);
  }
  return measurement.hasPagesInVariables;
}

/** Measures each fragment once for all operations. */
class Measurement {
  readonly #facts: DocumentFacts;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #measured = new Map<string, Measures>();
  hasPagesInVariables = false;

  constructor(facts: DocumentFacts) {
    this.#facts = facts;
    this.#fragments = new Map(
      facts.document.definitions.flatMap((one) =>
        one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one] as const] : [],
      ),
    );
  }

  measure({ operation, selectionSet }: OperationDefinitionNode): Measures {
    return this.#ofSelection(selectionSet, this.#facts.schema.getRootType(operation) ?? undefined);
  }

  #ofSelection({ selections }: SelectionSetNode, type: GraphQLNamedType | undefined): Measures {
    const total = { ...NOTHING };
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) add(total, this.#ofField(selection, type));
      else if (selection.kind === Kind.FRAGMENT_SPREAD) add(total, this.#ofFragment(selection.name.value));
      else {
        const condition = selection.typeCondition?.name.value;
        add(total, this.#ofSelection(selection.selectionSet, condition ? this.#typeNamed(condition) : type));
      }
    }
    return total;
  }

  #ofField(field: FieldNode, parent: GraphQLNamedType | undefined): Measures {
    const alias = field.alias ? 1 : 0;
    const aliasLength = field.alias?.value.length ?? 0;
    if (!field.selectionSet) return { aliases: alias, aliasLength, depth: 1, cost: SCALAR_COST, fields: 1 };
    const below = this.#ofSelection(field.selectionSet, typeOf(field, parent));
    const items = Math.max(
      INTROSPECTION_ITEMS[`${parent?.name}.${field.name.value}`] ?? 1,
      this.#pageSize(field, parent),
    );
    return {
      aliases: alias + below.aliases,
      aliasLength: Math.max(aliasLength, below.aliasLength),
      depth: 1 + below.depth,
      cost: (OBJECT_COST + below.cost) * items,
      fields: 1,
    };
  }

  #ofFragment(name: string): Measures {
    const cached = this.#measured.get(name);
    if (cached) return cached;
    this.#measured.set(name, NOTHING); // guards against recursive fragments, which validation rejects
    const fragment = this.#fragments.get(name);
    if (!fragment) return NOTHING;
    const measures = this.#ofSelection(fragment.selectionSet, this.#typeNamed(fragment.typeCondition.name.value));
    this.#measured.set(name, measures);
    return measures;
  }

  #typeNamed(name: string): GraphQLNamedType | undefined {
    return this.#facts.schema.getType(name);
  }

  #pageSize(field: FieldNode, parent: GraphQLNamedType | undefined): number {
    const pages = definitionOf(field, parent)?.args.filter(({ name }) => PAGE_ARGUMENTS.includes(name)) ?? [];
    if (pages.length === 0) return 1;
    const sizes = pages.map(({ name }) => this.#givenSize(field, name)).filter((size) => size !== undefined);
    if (sizes.length > 0) return Math.max(1, ...sizes);
    const [fallback = DEFAULT_PAGE] = pages.flatMap(({ defaultValue }) => Number(defaultValue) || []);
    return fallback;
  }

  /** Undefined for an absent or null argument. */
  #givenSize({ arguments: args = [] }: FieldNode, wanted: string): number | undefined {
    const value = args.find(({ name }) => name.value === wanted)?.value;
    if (value?.kind === Kind.INT) return Number(value.value);
    return value?.kind === Kind.VARIABLE ? this.#sizeInVariable(value.name.value) : undefined;
  }

  #sizeInVariable(name: string): number | undefined {
    this.hasPagesInVariables = true;
    const { variables } = this.#facts;
    if (!variables) return 1;
    const size = variables[name];
    if (size === null) return undefined;
    // An absent variable may have a default in the document. Coercion rejects values that are not integers later.
    return Number.isSafeInteger(size) ? (size as number) : MAX_PAGE;
  }
}

function typeOf(field: FieldNode, parent: GraphQLNamedType | undefined): GraphQLNamedType | undefined {
  const meta = META_TYPES[field.name.value];
  if (meta) return meta;
  const definition = definitionOf(field, parent);
  return definition && getNamedType(definition.type);
}

function definitionOf({ name }: FieldNode, parent: GraphQLNamedType | undefined) {
  return isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name.value] : undefined;
}

function add(total: Measures, { aliases, aliasLength, depth, cost, fields }: Measures): void {
  total.aliases += aliases;
  total.aliasLength = Math.max(total.aliasLength, aliasLength);
  total.depth = Math.max(total.depth, depth);
  total.cost += cost;
  total.fields += fields;
}
