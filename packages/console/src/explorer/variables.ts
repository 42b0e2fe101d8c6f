import {
  coerceInputValue,
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  isInputType,
  isNonNullType,
  type OperationDefinitionNode,
  parse,
  print,
  typeFromAST,
} from 'graphql';
import { membersOf } from '../ui/json.ts';

export interface Variable {
  name: string;
  type: GraphQLInputType;
  /** In GraphQL; undefined without one. */
  defaultValue: string | undefined;
}

/** Undefined while the text is not GraphQL, which it seldom is while a person types. */
export function documentIn(text: string): DocumentNode | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

export function operationsIn(document: DocumentNode | undefined): OperationDefinitionNode[] {
  return (document?.definitions ?? []).filter((one) => one.kind === 'OperationDefinition');
}

/** Variables whose types the schema has. */
export function variablesOf(operation: OperationDefinitionNode | undefined, schema: GraphQLSchema | null): Variable[] {
  if (!operation || !schema) return [];
  return (operation.variableDefinitions ?? []).flatMap(({ variable, type: node, defaultValue }) => {
    const type = typeFromAST(schema, node as never);
    if (!type || !isInputType(type)) return [];
    return [{ name: variable.name.value, type, defaultValue: defaultValue && print(defaultValue) }];
  });
}

/** The values of a text. @throws {SyntaxError} no JSON; @throws {TypeError} no JSON object */
export function valuesIn(text: string): Record<string, unknown> {
  const value: unknown = text.trim() === '' ? {} : JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TypeError('A JSON object is needed');
  return membersOf(value);
}

export const textOf = (values: Record<string, unknown>) =>
  Object.keys(values).length === 0 ? '' : JSON.stringify(values, null, 2);

export interface Mistake {
  /** For example `input.name`. */
  path: string;
  kind: 'missing' | 'unknown' | 'wrong';
  /** By GraphQL.js, for `wrong`. */
  message: string;
}

/** What the service would refuse, by the rules of GraphQL. */
export function mistakesIn(values: Record<string, unknown>, variables: Variable[]): Mistake[] {
  const mistakes: Mistake[] = Object.keys(values)
    .filter((name) => !variables.some((variable) => variable.name === name))
    .map((path) => ({ path, kind: 'unknown', message: '' }));
  for (const { name, type, defaultValue } of variables) {
    if (values[name] === undefined) {
      if (isNonNullType(type) && defaultValue === undefined)
        mistakes.push({ path: name, kind: 'missing', message: '' });
      continue;
    }
    coerceInputValue(values[name], type, (path, _value, { message }) =>
      mistakes.push({ path: [name, ...path].join('.'), kind: 'wrong', message }),
    );
  }
  return mistakes;
}
