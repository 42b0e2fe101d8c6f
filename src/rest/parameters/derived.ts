import {
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLScalarType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { readFlag, readInteger, readList, readNumber, readText } from '../../lib/casts.ts';
import { InvalidFieldsError } from '../../lib/errors.ts';
import { isObject, type OptionalJson } from '../../lib/json.ts';
import { snakeCase } from '../../lib/snake-case.ts';
import * as schemas from '../openapi/docs/schemas.ts';
import { listOf, oneOfTexts, type Schema } from '../openapi/docs/schemas.ts';
import { integerId } from './readers.ts';
import { asInput, type Entry, type ParameterReader, type ParameterTable, parameters, together } from './table.ts';

export type Argument = Pick<GraphQLInputField, 'name' | 'type'>;

/** The parameters of an operation; members of its `input` stand beside the others. */
export function derivedTable(operation: string, args: readonly Argument[]): ParameterTable<unknown> | undefined {
  if (args.length === 0) return undefined;
  const others = args.filter(({ name }) => name !== 'input');
  const own = parameters(operation, derivedEntries(others));
  const input = args.find(({ name }) => name === 'input');
  return input ? together(own, asInput(inputTable(input.type))) : own;
}

function inputTable(type: GraphQLInputType): ParameterTable<Record<string, unknown>> {
  const input = getNamedType(type);
  if (!isInputObjectType(input)) throw new Error(`${type} is no input`);
  return parameters(input.name, derivedEntries(Object.values(input.getFields())));
}

/** Ids in paths are read like those of the documented endpoints. */
export function pathEntries(args: readonly Argument[]): Record<string, Entry> {
  const entries = args.map(({ name, type }): [string, Entry] => {
    const isId = getNullableType(type).toString() === 'Int';
    return [snakeCase(name), [name, isId ? integerId : readerOf(type, snakeCase(name))]];
  });
  return Object.fromEntries(entries);
}

/** Names in snake_case, and readers by type. */
function derivedEntries(members: readonly Argument[]): Record<string, Entry> {
  return Object.fromEntries(
    members.map(({ name, type }): [string, Entry] => [snakeCase(name), [name, readerOf(type, snakeCase(name))]]),
  );
}

/** The reader throws {InvalidFieldsError} for a missing or invalid value. */
function readerOf(type: GraphQLInputType, name: string): ParameterReader<unknown> {
  const { schema, read } = conversionOf(getNullableType(type), name);
  const isRequired = isNonNullType(type);
  return {
    schema,
    ...(isRequired && { isRequired }),
    read: (value, source) => {
      const isMissing = value === undefined || value === null || (value === '' && schema !== schemas.text);
      if (isMissing && isRequired) throw invalid(name, 'BLANK');
      if (isMissing) return value === '' ? null : value;
      const result = read(value, source);
      if (result === undefined) throw invalid(name, 'INVALID');
      return result;
    },
  };
}

/** Reads undefined if the value is invalid. */
function conversionOf(type: GraphQLInputType, name: string): ParameterReader<unknown> {
  if (isListType(type)) {
    const item = readerOf(type.ofType as GraphQLInputType, name);
    return {
      schema: listOf(item.schema),
      read: (value, source) => readList(value).map((one) => item.read(one, source)),
    };
  }
  if (isInputObjectType(type)) {
    const { schema, read } = inputTable(type);
    return { schema, read: (value, source) => (isObject(value) ? read(value, source) : undefined) };
  }
  if (isEnumType(type)) {
    const names = type.getValues().map((value) => value.name);
    return {
      schema: oneOfTexts(names.map((value) => value.toLowerCase())),
      read: (value) => names.find((one) => one.toLowerCase() === String(value).toLowerCase()),
    };
  }
  const scalar = SCALARS[type.toString()];
  if (!scalar) throw new Error(`${type} has no form in REST`);
  const [schema, read] = scalar;
  return {
    schema,
    read: (value) => {
      const result = read(value);
      return result !== undefined && isRepresentable(type, result) ? result : undefined;
    },
  };
}

/** GraphQL would refuse the request without naming the parameter. */
function isRepresentable(type: GraphQLScalarType, value: unknown): boolean {
  try {
    type.parseValue(value);
    return true;
  } catch {
    return false;
  }
}

const SCALARS: Record<string, [schema: Schema, read: (value: OptionalJson) => unknown]> = {
  Int: [schemas.integer, readInteger],
  SafeInt: [schemas.integer, readInteger],
  Float: [schemas.number, readNumber],
  Boolean: [schemas.flag, readFlag],
  String: [schemas.text, readText],
  ID: [schemas.text, readText],
  DateTime: [schemas.text, readText],
  JSON: [schemas.anything, (value) => value],
};

function invalid(name: string, reason: 'BLANK' | 'INVALID'): InvalidFieldsError {
  return new InvalidFieldsError({ [name]: [reason] });
}
