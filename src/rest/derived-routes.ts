import {
  type DocumentNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isListType,
  isObjectType,
  Kind,
  parse,
} from 'graphql';
import { InvalidFieldsError } from '../lib/errors.ts';
import type { JsonValue } from '../lib/json.ts';
import { snakeCase } from '../lib/snake-case.ts';
import { isoSeconds } from '../lib/time.ts';
import { errorsByField } from './errors.ts';
import { type Route, untypedRoute } from './http/route.ts';
import { operationField, responseSchemaOf } from './openapi/docs/from-graphql.ts';
import type { RouteDocs } from './openapi/docs/operation-docs.ts';
import { closed, listOf, oneOfTexts } from './openapi/docs/schemas.ts';
import { type Argument, derivedTable, pathEntries } from './parameters/derived.ts';
import type { ParameterTable } from './parameters/table.ts';
import { sessionShape } from './shapes/session.ts';
import { type Shape, shape } from './shapes/shape.ts';
import { userShape } from './shapes/user.ts';

/** What the schema does not say of an endpoint. */
export interface Derived extends Pick<RouteDocs, 'tag' | 'summary' | 'errors' | 'status'> {
  /** Default: a request without parameters. */
  examples?: RouteDocs['examples'];
  /** Name of the member for an answer that is no object. */
  result?: string;
}

/**
 * An endpoint beside the documented ones. Its parameters, answer and description are those of the operation, with names
 * in snake_case and enums in lower case; members of `input` stand beside the other parameters.
 * @param path `/users/:user_id/roles`; its parameters are arguments of the operation
 * @param operation `Mutation.assignRole`
 */
export function derivedRoute(
  method: Route['method'],
  path: string,
  operation: string,
  { result, ...docs }: Derived,
): Route {
  const { name, args, type, description } = operationField(operation);
  const isInPath = ({ name }: Argument) => path.split('/').includes(`:${snakeCase(name)}`);
  const answer = answerOf(type, operation, result);
  const table = derivedTable(
    operation,
    args.filter((argument) => !isInPath(argument)),
  );
  const unreadable = table ? [new InvalidFieldsError({ name: ['INVALID'] })] : [];
  return untypedRoute({
    method,
    path,
    document: documentOf(operation, answer.shape),
    inPath: pathEntries(args.filter(isInPath)),
    ...(table && { parameters: table as ParameterTable<Record<string, unknown>> }),
    present: (data) => answer.present(data[name]),
    errors: errorsByField,
    docs: {
      examples: [{}],
      ...docs,
      errors: [...unreadable, ...(docs.errors ?? [])],
      description: description!,
      answer: answer.schema,
    },
  });
}

function documentOf(operation: string, answer: Shape | undefined): DocumentNode {
  const [type, name] = operation.split('.') as ['Query' | 'Mutation', string];
  const { args } = operationField(operation);
  const joined = (parts: string[]) => (parts.length > 0 ? `(${parts.join(', ')})` : '');
  const declared = joined(args.map((argument) => `$${argument.name}: ${argument.type}`));
  const given = joined(args.map((argument) => `${argument.name}: $${argument.name}`));
  const fragments = answer?.definitions ?? [];
  const [fragment] = fragments;
  const selection = fragment?.kind === Kind.FRAGMENT_DEFINITION ? ` { ...${fragment.name.value} }` : '';
  const title = name.charAt(0).toUpperCase() + name.slice(1);
  const { definitions } = parse(`${type.toLowerCase()} ${title}${declared} { ${name}${given}${selection} }`);
  return { kind: Kind.DOCUMENT, definitions: [...definitions, ...fragments] };
}

interface Answer {
  schema: NonNullable<RouteDocs['answer']>;
  shape?: Shape;
  present: (value: unknown) => unknown;
}

/** True is an empty answer, and a list stands under `items`. */
function answerOf(type: GraphQLOutputType, operation: string, result: string | undefined): Answer {
  const named = getNamedType(type);
  if (named.name === 'Boolean') return { schema: 'nothing', present: () => undefined };
  if (!isObjectType(named)) {
    if (!result) throw new Error(`${operation} needs a name for its result`);
    const schema = closed({ [result]: responseSchemaOf(operationField(operation)) });
    return { schema, present: (value) => ({ [result]: value instanceof Date ? isoSeconds(value) : value }) };
  }
  const one = shapeOf(named);
  const presentOne = one.present as (value: unknown) => unknown;
  if (!isListType(getNullableType(type))) return { schema: one.schema, shape: one, present: presentOne };
  return {
    schema: closed({ items: listOf(one.schema) }),
    shape: one,
    present: (list) => ({ items: (list as unknown[]).map((item) => presentOne(item)) }),
  };
}

const shapes = new Map<string, Shape>([
  ['User', userShape as unknown as Shape],
  ['Session', sessionShape as unknown as Shape],
]);

/** All members of a type that need no argument. */
function shapeOf(type: GraphQLObjectType): Shape {
  const known = shapes.get(type.name);
  if (known) return known;
  const members = Object.values(type.getFields()).filter(({ args }) => args.length === 0);
  const table = Object.fromEntries(members.map(({ name, type }) => [snakeCase(name), memberOf(name, type)]));
  const made = shape(type.name as never, table as never, { title: null }) as unknown as Shape;
  shapes.set(type.name, made);
  return made;
}

function memberOf(name: string, type: GraphQLOutputType): unknown {
  const named = getNamedType(type);
  if (isObjectType(named)) return [name, shapeOf(named)];
  if (!isEnumType(named)) return name;
  const values = oneOfTexts(named.getValues().map((value) => value.name.toLowerCase()));
  const isList = isListType(getNullableType(type));
  return [name, isList ? listOf(values) : values, lowerCase];
}

function lowerCase(value: JsonValue): JsonValue {
  return Array.isArray(value) ? value.map(lowerCase) : String(value).toLowerCase();
}
