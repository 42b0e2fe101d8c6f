import {
  BREAK,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  parse,
  specifiedRules,
  validate,
  visit,
} from 'graphql';
import { WeightedCache } from '../lib/weighted-cache.ts';
import { definitionProblem, hasPagesInVariables, LIMITS, limitProblem } from './document-limits.ts';
import { idOf, isPlainIntrospection } from './introspection.ts';
import { cutMessage } from './presented-errors.ts';

export type PreparedDocument =
  | {
      document: DocumentNode;
      hasPagesInVariables: boolean;
      /** Contains introspection, which no resolver counts as an operation. */
      introspects: boolean;
      errors?: undefined;
    }
  | { errors: readonly GraphQLError[] };

const MAX_KEPT_BYTES = 64 * 1024 * 1024;
const ENTRY_BYTES = 1_000;
/** Bytes per token of a document without locations, measured and rounded up. */
const TOKEN_BYTES = 200;

/** Key: schema and text, because a document may be valid only for the types of one application. */
const kept = new WeightedCache<PreparedDocument>(MAX_KEPT_BYTES);

export function keptDocumentBytes(): number {
  return kept.weight;
}

export function preparedDocument(text: string, schema: GraphQLSchema): PreparedDocument | undefined {
  return kept.get(keyOf(text, schema));
}

/**
 * Parses and validates a document; cached by text and schema.
 * @param keepsRefused false for unauthenticated callers, so that their invalid documents do not fill the cache
 */
export function prepareDocument(text: string, schema: GraphQLSchema, keepsRefused: boolean): PreparedDocument {
  const known = preparedDocument(text, schema);
  if (known) return known;
  const prepared = prepare(text, schema);
  if (!prepared.errors || keepsRefused) kept.set(keyOf(text, schema), prepared, bytesOf(text, prepared));
  return prepared;
}

const keyOf = (text: string, schema: GraphQLSchema) => `${idOf(schema)} ${text}`;

function bytesOf(text: string, prepared: PreparedDocument): number {
  return 2 * text.length + (prepared.errors ? ENTRY_BYTES : documentBytes(prepared.document));
}

/** Heap of a document without locations, with its entry in a cache. */
export function documentBytes({ tokenCount = LIMITS.tokens }: DocumentNode): number {
  return ENTRY_BYTES + TOKEN_BYTES * tokenCount;
}

function prepare(text: string, schema: GraphQLSchema): PreparedDocument {
  try {
    const document = parse(text, { maxTokens: LIMITS.tokens });
    const asksForSchema = introspects(document);
    const isPlain = asksForSchema && isPlainIntrospection(document);
    const problem = definitionProblem(document) ?? (isPlain ? undefined : limitProblem({ document, schema }));
    const errors = problem ? [problem] : validate(schema, document, specifiedRules, { maxErrors: 20 });
    if (errors.length > 0) return { errors: errors.map(asBadInput) };
    dropLocations(document);
    return {
      document,
      hasPagesInVariables: hasPagesInVariables({ document, schema }),
      introspects: asksForSchema,
    };
  } catch (error) {
    if (error instanceof GraphQLError) return { errors: [asBadInput(error)] };
    // The parser and the validation rules recurse per level of nesting.
    if (error instanceof RangeError)
      return { errors: [asBadInput(new GraphQLError('The document is nested too deeply'))] };
    throw error;
  }
}

/** Locations retain the source and all tokens, ten times the size of the document itself. */
function dropLocations(document: DocumentNode): void {
  const waiting: unknown[] = [document];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    if ('loc' in value) value.loc = undefined;
    waiting.push(...Object.values(value).filter((one) => typeof one === 'object'));
  }
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

/** Drops the nodes, because the cached error would retain the document. */
export function asBadInput(error: GraphQLError): GraphQLError {
  const { message, source, positions, extensions } = cutMessage(error);
  // The parser reports too many tokens as a syntax error.
  const text = message.replace(/^Syntax Error: (?=[\w ]{1,20} limit of \d)/, '');
  return new GraphQLError(text, { source, positions, extensions: { ...extensions, code: 'BAD_USER_INPUT' } });
}
