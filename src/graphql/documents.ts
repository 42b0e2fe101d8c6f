import { costLimitRule } from '@escape.tech/graphql-armor-cost-limit';
import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases';
import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth';
import {
  type ASTVisitor,
  BREAK,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  parse,
  type SelectionSetNode,
  specifiedRules,
  type ValidationContext,
  type ValidationRule,
  validate,
  visit,
} from 'graphql';
import { isTooDeep } from '../lib/clean-text.ts';
import { BadInputError } from '../lib/errors.ts';
import { MAX_PAGE } from '../lib/pages.ts';

/** Limits of one document, the same over HTTP and WebSocket, checked before anything is executed. */
export const LIMITS = { tokens: 10_000, depth: 12, aliases: 50, rootFields: 50, cost: 5_000 };

export type PreparedDocument =
  | {
      document: DocumentNode;
      hasPagesInVariables: boolean;
      /** Asks for the schema itself, which no resolver counts as an operation. */
      introspects: boolean;
      errors?: undefined;
    }
  | { errors: readonly GraphQLError[] };

/** Clients send the same few documents over and over. */
const MAX_KEPT = 1_000;
const MAX_KEPT_LENGTH = 20_000;

/** By schema and text: what fits the types of one application need not fit those of another. */
const kept = new WeakMap<GraphQLSchema, Map<string, PreparedDocument>>();

/** Parses and validates a document, once for all who send the same text and see the same schema. */
export function prepareDocument(text: string, schema: GraphQLSchema): PreparedDocument {
  const documents = kept.get(schema) ?? new Map<string, PreparedDocument>();
  kept.set(schema, documents);
  const known = documents.get(text);
  if (known) return known;
  const prepared = prepare(text, schema);
  if (text.length <= MAX_KEPT_LENGTH) {
    if (documents.size >= MAX_KEPT) documents.delete(documents.keys().next().value!);
    documents.set(text, prepared);
  }
  return prepared;
}

/** What is wrong with the variables of a request: too deep to be read, or pages too large for the document's cost. */
export function variableProblem(text: string, variables: unknown, schema: GraphQLSchema): GraphQLError | undefined {
  if (isTooDeep(variables)) return new BadInputError('Request parameters are too complex');
  const prepared = prepareDocument(text, schema);
  if (prepared.errors || !prepared.hasPagesInVariables) return undefined;
  const sized = withPageSizes(prepared.document, (variables ?? {}) as Record<string, unknown>);
  try {
    validate(schema, sized, [COST_RULE]);
    return undefined;
  } catch (error) {
    if (error instanceof GraphQLError) return asBadInput(error);
    throw error;
  }
}

function prepare(text: string, schema: GraphQLSchema): PreparedDocument {
  try {
    const document = parse(text, { maxTokens: LIMITS.tokens });
    const errors = validate(schema, document, RULES, { maxErrors: 20 });
    if (errors.length > 0) return { errors: errors.map(asBadInput) };
    const hasPagesInVariables = withPageSizes(document, {}) !== document;
    return { document, hasPagesInVariables, introspects: introspects(document) };
  } catch (error) {
    if (error instanceof GraphQLError) return { errors: [asBadInput(error)] };
    // The parser and the rules call themselves for each level of nesting.
    if (error instanceof RangeError)
      return { errors: [asBadInput(new GraphQLError('The document is nested too deeply'))] };
    throw error;
  }
}

// A page of a hundred rows with all their fields has to stay within the limit, so depth adds nothing of its own.
const COST_RULE = costLimitRule({ maxCost: LIMITS.cost, depthCostFactor: 1 }) as unknown as ValidationRule;

const RULES: ValidationRule[] = [
  rootFieldLimit,
  maxDepthRule({ n: LIMITS.depth }) as unknown as ValidationRule,
  maxAliasesRule({ n: LIMITS.aliases }) as unknown as ValidationRule,
  COST_RULE,
  ...specifiedRules,
];

/** The cost rule counts page sizes that are written down; this writes down those that come in variables. */
function withPageSizes(document: DocumentNode, variables: Record<string, unknown>): DocumentNode {
  return visit(document, {
    Argument(argument) {
      const { name, value } = argument;
      if ((name.value !== 'first' && name.value !== 'last') || value.kind !== Kind.VARIABLE) return undefined;
      const given = variables[value.name.value];
      // What is no integer is refused later, when its type is known.
      const size = Number.isInteger(given) ? given : MAX_PAGE;
      return { ...argument, value: { kind: Kind.INT, value: String(size) } };
    },
  });
}

function introspects(document: DocumentNode): boolean {
  let found = false;
  visit(document, {
    Field({ name }) {
      if (name.value === '__schema' || name.value === '__type') found = true;
      return found ? BREAK : undefined;
    },
  });
  return found;
}

function rootFieldLimit(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition({ selectionSet }) {
      if (countFields(selectionSet, context) > LIMITS.rootFields) {
        throw new GraphQLError(`An operation may have at most ${LIMITS.rootFields} root fields`);
      }
    },
  };
}

/** Fields of a selection, those that fragments bring included; a fragment inside itself counts no more. */
function countFields(
  { selections }: SelectionSetNode,
  context: ValidationContext,
  counts = new Map<string, number>(),
): number {
  let fields = 0;
  for (const selection of selections) {
    if (selection.kind === Kind.FIELD) fields++;
    else if (selection.kind === Kind.INLINE_FRAGMENT) fields += countFields(selection.selectionSet, context, counts);
    else fields += countFieldsOfFragment(selection.name.value, context, counts);
  }
  return fields;
}

function countFieldsOfFragment(name: string, context: ValidationContext, counts: Map<string, number>): number {
  const known = counts.get(name);
  if (known !== undefined) return known;
  counts.set(name, 0);
  const fragment = context.getFragment(name);
  const count = fragment ? countFields(fragment.selectionSet, context, counts) : 0;
  counts.set(name, count);
  return count;
}

function asBadInput(error: GraphQLError): GraphQLError {
  // The rules that limit a document call what they refuse a syntax error, which it is not.
  return new GraphQLError(error.message.replace(/^Syntax Error: (?=[\w ]{1,20} limit of \d)/, ''), {
    nodes: error.nodes,
    source: error.source,
    positions: error.positions,
    extensions: { ...error.extensions, code: 'BAD_USER_INPUT' },
  });
}
