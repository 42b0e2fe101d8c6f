import { costLimitRule } from '@escape.tech/graphql-armor-cost-limit';
import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases';
import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth';
import {
  type ASTVisitor,
  type DocumentNode,
  GraphQLError,
  parse,
  specifiedRules,
  type ValidationContext,
  type ValidationRule,
  validate,
} from 'graphql';
import { schema } from '../schema/index.ts';

/** Limits of one document, the same over HTTP and WebSocket, checked before anything is executed. */
export const LIMITS = { tokens: 10_000, depth: 12, aliases: 50, rootFields: 50, cost: 5_000 };

export type PreparedDocument = { document: DocumentNode; errors?: undefined } | { errors: readonly GraphQLError[] };

/** Clients send the same few documents over and over. */
const MAX_KEPT = 1_000;
const MAX_KEPT_LENGTH = 20_000;

const kept = new Map<string, PreparedDocument>();

/** Parses and validates a document, once for all who send the same text. */
export function prepareDocument(text: string): PreparedDocument {
  const known = kept.get(text);
  if (known) return known;
  const prepared = prepare(text);
  if (text.length <= MAX_KEPT_LENGTH) {
    if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value!);
    kept.set(text, prepared);
  }
  return prepared;
}

function prepare(text: string): PreparedDocument {
  try {
    const document = parse(text, { maxTokens: LIMITS.tokens });
    const errors = validate(schema, document, RULES, { maxErrors: 20 });
    return errors.length > 0 ? { errors: errors.map(asBadInput) } : { document };
  } catch (error) {
    if (error instanceof GraphQLError) return { errors: [asBadInput(error)] };
    throw error;
  }
}

const RULES: ValidationRule[] = [
  rootFieldLimit,
  maxDepthRule({ n: LIMITS.depth }) as unknown as ValidationRule,
  maxAliasesRule({ n: LIMITS.aliases }) as unknown as ValidationRule,
  // A page of a hundred rows with all their fields has to stay within the limit, so depth adds nothing of its own.
  costLimitRule({ maxCost: LIMITS.cost, depthCostFactor: 1 }) as unknown as ValidationRule,
  ...specifiedRules,
];

function rootFieldLimit(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition({ selectionSet }) {
      if (selectionSet.selections.length > LIMITS.rootFields) {
        context.reportError(new GraphQLError(`An operation may have at most ${LIMITS.rootFields} root fields`));
      }
    },
  };
}

function asBadInput(error: GraphQLError): GraphQLError {
  return new GraphQLError(error.message, {
    nodes: error.nodes,
    source: error.source,
    positions: error.positions,
    extensions: { ...error.extensions, code: 'BAD_USER_INPUT' },
  });
}
