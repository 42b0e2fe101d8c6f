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
import { isTooDeep } from '../lib/clean-text.ts';
import { BadInputError } from '../lib/errors.ts';
import { limitProblem } from './document-limits.ts';
import { asBadInput } from './documents.ts';
import { cutMessage } from './presented-errors.ts';

/** Weight of all values of a request, each counted at every place that uses its variable: about one byte each. */
const MAX_WEIGHT = 8 * 1024 * 1024;

/** Weight of a number, a key or an item of a list beside its characters. */
const NODE_WEIGHT = 8;

/** Variables below this weight may be used at every place that a document can have. */
const LIGHT = 512;

export interface RequestVariables {
  schema: GraphQLSchema;
  document: DocumentNode;
  hasPagesInVariables: boolean;
  operationName: string | null | undefined;
  variables: unknown;
}

/**
 * Why the variables of a request are refused: too deep, page sizes that make the document too expensive, too heavy for
 * the number of their uses, or not of their types. Of the last only the first is reported, because each report repeats
 * the value around it.
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
  // Defaults of the document among them.
  return isTooHeavy(coerced, document, operation) ? tooComplex() : undefined;
}

const tooComplex = () => new BadInputError('Request parameters are too complex');

function isTooHeavy(
  variables: Readonly<Record<string, unknown>>,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): boolean {
  const heavy = Object.entries(variables).flatMap(([name, value]) => {
    const weight = weightOf(value);
    return weight > LIGHT ? [[name, weight] as const] : [];
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

/** How often an operation uses each variable; what a fragment uses counts at each of its spreads. */
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
    const known = this.#known.get(name);
    if (known) return known;
    this.#known.set(name, new Map()); // a fragment inside itself, which validation refuses
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
