import { type GraphQLArgument, type GraphQLInputField, isInputObjectType } from 'graphql';
import type { Parameters } from '../../lib/bracket-keys.ts';
import { isObject, type OptionalJson } from '../../lib/json.ts';
import { schema } from '../../schema/index.ts';
import { operationField } from '../openapi/docs/from-graphql.ts';
import { described, type ObjectSchema, requestObject, type Schema } from '../openapi/docs/schemas.ts';

/** What readers may need besides the value of their parameter. */
export interface ParameterSource {
  /** All parameters of the table. */
  parameters: Parameters;
  header: (name: string) => string | undefined;
}

/** Reads one parameter, and says how OpenAPI documents it. */
export interface ParameterReader<Value> {
  read: (value: OptionalJson, source: ParameterSource) => Value;
  schema: Schema;
  isRequired?: true;
}

/** A parameter for several variables (`variables`), or for none (null). */
export interface Spread<Values> {
  variables: ((value: OptionalJson, source: ParameterSource) => Values) | null;
  schema: Schema;
  isRequired?: boolean;
}

/** Name of the variable, reader, and a description if that of the GraphQL argument does not fit. */
export type Entry = readonly [name: string, reader: ParameterReader<unknown>, description?: string] | Spread<unknown>;

/** All parameters of a request or of an object in it. */
export interface ParameterTable<Values> {
  read: (parameters: Parameters, source: ParameterSource) => Values;
  schema: ObjectSchema;
}

type NamedValues<Entries> = {
  [Key in keyof Entries as Entries[Key] extends readonly [infer Name extends string, ...unknown[]]
    ? Name
    : never]: Entries[Key] extends readonly [string, ParameterReader<infer Value>, ...unknown[]] ? Value : never;
};

/** The variables that a table yields. */
export type ValuesOf<Entries> = Flat<
  NamedValues<Entries> & (Taking<Entries> extends (all: infer All) => void ? All : unknown)
>;

/** A union of functions, so that inference makes an intersection of what the spreads yield. */
type Taking<Entries> = {
  [Key in keyof Entries]: Entries[Key] extends Spread<infer Values> ? (one: Values) => void : never;
}[keyof Entries];

type Flat<Values> = { [Name in keyof Values]: Values[Name] };

/**
 * The request side of `shape()`: the table of the legacy parameters yields the variables of the operation, their
 * OpenAPI schema and, by it, the error for a list or an object in place of a text or number.
 * @param owner an input (`CreateUserInput`) or operation (`Mutation.addReaction`), which describes its members
 */
export function parameters<const Entries extends Record<string, Entry>>(
  owner: string,
  entries: Entries,
): ParameterTable<ValuesOf<Entries>> {
  const members = membersOf(owner);
  const properties: Record<string, Schema> = {};
  const required: string[] = [];
  const readers: ((parameters: Parameters, source: ParameterSource, values: Record<string, unknown>) => void)[] = [];
  for (const [legacy, entry] of Object.entries(entries) as [string, Entry][]) {
    if (isSpread(entry)) {
      const { variables } = entry;
      if (variables)
        readers.push((from, source, values) => void Object.assign(values, variables(from[legacy], source)));
      properties[legacy] = entry.schema;
      if (entry.isRequired) required.push(legacy);
      continue;
    }
    const [name, { read, schema: form, isRequired }, description] = entry;
    readers.push((from, source, values) => {
      values[name] = read(from[legacy], source);
    });
    const text = description ?? form.description ?? members[name]?.description;
    if (typeof text !== 'string') throw new Error(`${owner}: ${legacy} has no description`);
    properties[legacy] = described(form, text);
    if (isRequired) required.push(legacy);
  }
  return {
    schema: requestObject(properties, required),
    read: (from, source) => {
      const values: Record<string, unknown> = {};
      const own = from === source.parameters ? source : { parameters: from, header: source.header };
      for (const read of readers) read(from, own, values);
      return values as ValuesOf<Entries>;
    },
  };
}

function isSpread(entry: Entry): entry is Spread<unknown> {
  return !Array.isArray(entry);
}

function membersOf(owner: string): Record<string, GraphQLArgument | GraphQLInputField> {
  if (owner.includes('.')) {
    return Object.fromEntries(operationField(owner).args.map((argument) => [argument.name, argument]));
  }
  const type = schema.getType(owner);
  if (!isInputObjectType(type)) throw new Error(`${owner} is no input of the schema`);
  return type.getFields();
}

/** For parameters that are read together. */
export function tableOf<Values>(
  properties: Record<string, Schema>,
  read: (parameters: Parameters, source: ParameterSource) => Values,
  required: string[] = [],
): ParameterTable<Values> {
  return { schema: requestObject(properties, required), read };
}

/** Several tables as one. */
export function together<A, B, C = unknown, D = unknown>(
  ...tables: [ParameterTable<A>, ParameterTable<B>, ParameterTable<C>?, ParameterTable<D>?]
): ParameterTable<Flat<A & B & C & D>> {
  const all = tables.filter((table) => table !== undefined);
  return {
    schema: requestObject(
      Object.assign({}, ...all.map(({ schema: { properties } }) => properties)),
      all.flatMap(({ schema: { required } }) => required ?? []),
    ),
    read: (from, source) => Object.assign({}, ...all.map(({ read }) => read(from, source))),
  };
}

/** For operations with one argument `input`. */
export function asInput<Values>({ schema, read }: ParameterTable<Values>): ParameterTable<{ input: Values }> {
  return { schema, read: (from, source) => ({ input: read(from, source) }) };
}

/** Parameters with other names exist; the operation reads them itself. */
export function open<Values>(
  { schema, read }: ParameterTable<Values>,
  additionalProperties: Schema,
): ParameterTable<Values> {
  return { read, schema: { ...schema, additionalProperties } };
}

/** The members of an object; undefined if the parameter is no object. */
export function object<Values>({ schema, read }: ParameterTable<Values>): ParameterReader<Values | undefined> {
  return { schema, read: (value, source) => (isObject(value) ? read(value, source) : undefined) };
}

/** The members of an object; all missing if the parameter is no object. */
export function objectOrEmpty<Values>({ schema, read }: ParameterTable<Values>): ParameterReader<Values> {
  return { schema, read: (value, source) => read(isObject(value) ? value : {}, source) };
}

/** The members of an object as variables beside the others; all missing if the parameter is no object. */
export function members<Values>(
  { schema, read }: ParameterTable<Values>,
  description: string,
  { isRequired = false }: { isRequired?: boolean } = {},
): Spread<Values> {
  return {
    variables: (value, source) => read(isObject(value) ? value : {}, source),
    schema: described(schema, description),
    isRequired,
  };
}

/** The whole request is `{ "<wrapper>": { … } }`. */
export function wrapped<Values>(
  wrapper: string,
  table: ParameterTable<Values>,
  description: string,
): ParameterTable<Values> {
  const { variables, schema } = members(table, description);
  return {
    schema: requestObject({ [wrapper]: schema }, [wrapper]),
    read: (from, source) => variables!(from[wrapper], source),
  };
}

/** A parameter that is documented, but accepted without effect or read with others. */
export function noted(schema: Schema, description?: string): Spread<unknown> {
  return { variables: null, schema: description === undefined ? schema : described(schema, description) };
}

/** Documented as required; the operation itself reports that it is missing. */
export const required = <Value>(reader: ParameterReader<Value>): ParameterReader<Value> => ({
  ...reader,
  isRequired: true,
});

/** Adds keywords such as `maxLength` to the documentation; the operation itself checks them. */
export function limited<Value>(
  { schema, ...reader }: ParameterReader<Value>,
  keywords: Schema,
): ParameterReader<Value> {
  return { ...reader, schema: { ...schema, ...keywords } };
}
