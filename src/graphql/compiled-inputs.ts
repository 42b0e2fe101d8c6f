import {
  coerceInputValue,
  type FieldNode,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  getArgumentValues,
  getVariableValues,
  isLeafType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
  valueFromAST,
} from 'graphql';

export type Variables = Record<string, unknown>;

/** Like `getVariableValues`, which resolves the types again for each execution. Invalid values are left to it. */
export function variablesOf(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
): (given: Variables) => Variables {
  const known = variableDefinitions.map(({ variable, type: node, defaultValue }) => {
    const type = typeFromAST(schema, node) as GraphQLInputType;
    const byDefault: unknown = defaultValue && valueFromAST(defaultValue, type);
    return { name: variable.name.value, type, byDefault, isNonNull: isNonNullType(type), coerce: coercionOf(type) };
  });
  return (given) => {
    const variables: Variables = {};
    for (const { name, byDefault, isNonNull, coerce } of known) {
      const isGiven = Object.hasOwn(given, name);
      const value = isGiven ? (given[name] ?? null) : byDefault;
      if (isNonNull && (value === null || value === undefined)) throw firstError();
      if (!isGiven) {
        if (value !== undefined) variables[name] = value;
        continue;
      }
      try {
        variables[name] = value === null ? null : coerce(value);
      } catch {
        throw firstError();
      }
    }
    return variables;

    function firstError(): Error {
      return getVariableValues(schema, variableDefinitions, given).errors![0]!;
    }
  };
}

/** @returns a function that throws for invalid values */
function coercionOf(type: GraphQLInputType): (value: unknown) => unknown {
  const nullable = isNonNullType(type) ? type.ofType : type;
  if (isLeafType(nullable)) {
    return (value) => {
      const parsed = nullable.parseValue(value);
      if (parsed === undefined) throw new Error('invalid value');
      return parsed;
    };
  }
  return (value) =>
    coerceInputValue(value, nullable, (_path, _value, error) => {
      throw error;
    });
}

/** Like `getArgumentValues` for arguments that are variables, which have been coerced already. */
export function argumentsOf(
  definition: GraphQLField<unknown, unknown>,
  node: FieldNode,
): (variables: Variables) => Record<string, unknown> {
  const given = new Map(node.arguments?.map(({ name, value }) => [name.value, value]));
  const declared = definition.args.map(({ name, type, defaultValue }) => {
    const value = given.get(name);
    const variable = value?.kind === Kind.VARIABLE ? value.name.value : undefined;
    return { name, value, variable, defaultValue, isNonNull: isNonNullType(type) };
  });
  const read = (variables: Variables) => getArgumentValues(definition, node, variables);
  if (declared.some(({ value, variable }) => value && variable === undefined)) return read;
  return (variables) => {
    const values: Record<string, unknown> = {};
    for (const { name, variable, isNonNull, defaultValue } of declared) {
      const isGiven = variable !== undefined && Object.hasOwn(variables, variable);
      const value = isGiven ? variables[variable] : defaultValue;
      if (isNonNull && (value === null || value === undefined)) return read(variables);
      if (isGiven || value !== undefined) values[name] = value;
    }
    return values;
  };
}
