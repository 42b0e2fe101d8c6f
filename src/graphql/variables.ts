import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';
import { tooComplex } from '../lib/bracket-keys.ts';
import { isTooDeep } from '../lib/clean-text.ts';
import { limitProblem } from './document-limits.ts';
import { asBadInput } from './documents.ts';
import { cutMessage } from './presented-errors.ts';

/** Maximum weight of all values, each counted per use of its variable; about one byte each. */
const MAX_WEIGHT = 8 * 1024 * 1024;

/** Overhead of a number, a key or a list item. */
const NODE_WEIGHT = 8;

/** Lighter variables need no check, because the number of uses in a document is bounded. */
const MAX_LIGHT_WEIGHT = 512;

export interface RequestVariables {
  schema: GraphQLSchema;
  document: DocumentNode;
  hasPagesInVariables: boolean;
  operationName: string | null | undefined;
  variables: unknown;
}

/**
 * Checks variables: depth, page sizes that exceed the cost limit, types, and weight times uses. Reports only the first
 * type error, because each report repeats the surrounding value.
 */
export function variableProblem(request: RequestVariables): GraphQLError | undefined {
  const { schema, document, operationName } = request;
  if (isTooDeep(request.variables)) return tooComplex();
  const variables = isObject(request.variables) ? request.variables : {};
  const expensive = request.hasPagesInVariables ? limitProblem({ document, schema, variables }) : undefined;
  if (expensive) return asBadInput(expensive);
  const operation = getOperationAST(document, operationName);
  if (!operation?.variableDefinitions?.length) return undefined;
  const { errors, coerced } = getVariableValues(schema, operation.variableDefinitions, variables, { maxErrors: 1 });
  if (errors) return cutMessage(errors[0]!);
  // Includes defaults of the document.
  return isTooHeavy(coerced, document, operation) ? tooComplex() : undefined;
}

function isTooHeavy(
  variables: Readonly<Record<string, unknown>>,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): boolean {
  const heavy = Object.entries(variables).flatMap(([name, value]) => {
    const weight = weightOf(value);
    return weight > MAX_LIGHT_WEIGHT ? [[name, weight] as const] : [];
  });
  if (heavy.length === 0) return false;
  const uses = new Uses(document).of(operation);
  return heavy.reduce((sum, [name, weight]) => sum + weight * (uses.get(name) ?? 0), 0) > MAX_WEIGHT;
}

function weightOf(value: unknown): number {
  if (typeof value === 'string') return value.length + NODE_WEIGHT;
  if (typeof value !== 'object' || value === null) return NODE_WEIGHT;
  return Object.entries(value).reduce((sum, [key, part]) => sum + key.length + weightOf(part), NODE_WEIGHT);
}

type Counts = Map<string, number>;

/** Counts the uses of each variable; a fragment counts at each spread. */
class Uses {
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #known = new Map<string, Counts>();

  constructor({ definitions }: DocumentNode) {
    this.#fragments = new Map(
      definitions.flatMap((one) => (one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one] as const] : [])),
    );
  }

  of(node: OperationDefinitionNode | SelectionSetNode): Counts {
    const counts: Counts = new Map();
    visit(node, {
      VariableDefinition: () => false,
      Variable: ({ name }) => count(counts, name.value, 1),
      FragmentSpread: ({ name }) => {
        for (const [variable, uses] of this.#ofFragment(name.value)) count(counts, variable, uses);
      },
    });
    return counts;
  }

  #ofFragment(name: string): Counts {
    const cached = this.#known.get(name);
    if (cached) return cached;
    this.#known.set(name, new Map()); // guards against recursive fragments, which validation rejects
    const fragment = this.#fragments.get(name);
    const counts: Counts = fragment ? this.of(fragment.selectionSet) : new Map();
    this.#known.set(name, counts);
    return counts;
  }
}

function count(counts: Counts, name: string, uses: number): void {
  counts.set(name, (counts.get(name) ?? 0) + uses);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
