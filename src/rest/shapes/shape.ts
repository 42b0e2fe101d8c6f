import type { FragmentOf, ResultOf, TadaDocumentNode } from 'gql.tada';
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
  type SelectionNode,
} from 'graphql';
import type { introspection } from '../../generated/graphql-env.d.ts';
import { isoSeconds } from '../../lib/time.ts';
import { schema } from '../../schema/index.ts';
import { responseSchemaOf } from '../openapi/docs/from-graphql.ts';
import { closed, listOf, named, type ObjectSchema, type Schema } from '../openapi/docs/schemas.ts';

type Types = introspection['types'];
type ObjectName = { [Name in keyof Types]: Types[Name] extends { kind: 'OBJECT' } ? Name : never }[keyof Types];
type FieldName<Type extends ObjectName> = keyof (Types[Type] & { fields: object })['fields'] & string;

export interface Shape<Type extends ObjectName = ObjectName>
  extends TadaDocumentNode<{ readonly [field: string]: unknown }, object, Definition<Type>> {
  schema: ObjectSchema;
  present: (record: FragmentOf<Fragment<Type>>) => LegacyRecord;
  bareSchema: ObjectSchema;
  presentBare: (record: FragmentOf<Fragment<Type>>) => LegacyRecord;
}

type Definition<Type extends ObjectName> = { fragment: `${Type}Fields`; on: Type; masked: true };
type Fragment<Type extends ObjectName> = TadaDocumentNode<unknown, object, Definition<Type>>;

export type LegacyRecord = Record<string, unknown>;

type Entry<Type extends ObjectName> =
  | FieldName<Type>
  | readonly [field: FieldName<Type>, schema: Schema, convert?: (value: never) => unknown]
  | readonly [field: FieldName<Type>, shape: NestedShape]
  | Computed
  | Optional<Type>
  | Table<Type>;

/** In the order of the JSON. The members of `...` are spread into the record. */
export interface Table<Type extends ObjectName> {
  readonly [legacyName: string]: Entry<Type>;
}

type NestedShape = DocumentNode & { schema: ObjectSchema; present: (record: never) => LegacyRecord };

class Computed {
  readonly fields: readonly SelectionNode[];
  readonly schema: Schema;
  readonly present: (record: never) => unknown;

  constructor(fields: readonly SelectionNode[], schema: Schema, present: (record: never) => unknown) {
    this.fields = fields;
    this.schema = schema;
    this.present = present;
  }
}

class Optional<Type extends ObjectName> {
  readonly entry: Exclude<Entry<Type>, Optional<Type>>;

  constructor(entry: Exclude<Entry<Type>, Optional<Type>>) {
    this.entry = entry;
  }
}

export function computed<Selection extends DocumentNode>(
  fragment: Selection,
  schema: Schema,
  present: (record: ResultOf<Selection>) => unknown,
): Computed {
  const { selectionSet } = fragment.definitions[0] as FragmentDefinitionNode;
  return new Computed(selectionSet.selections, schema, present as (record: never) => unknown);
}

export function constant(value: string | number, description: string): Computed {
  const type = typeof value === 'string' ? 'string' : 'integer';
  return new Computed([], { type, const: value, description }, () => value);
}

export function optional<Type extends ObjectName>(entry: Exclude<Entry<Type>, Optional<Type>>): Optional<Type> {
  return new Optional(entry);
}

/**
 * @param options.wrapper the one key around the record: `{ "user": { … } }`
 * @param options.title null: the schema is written where it is used
 */
export function shape<const Type extends ObjectName>(
  typeName: Type,
  table: Table<Type>,
  { wrapper, title = typeName }: { wrapper?: string; title?: string | null } = {},
): Shape<Type> {
  const type = schema.getType(typeName);
  if (!isObjectType(type)) throw new Error(`${typeName} is no object type of the schema`);
  const { fields, properties, required, write } = compile(type, table as unknown as Table<never>);
  const plain = objectSchema(properties, required);
  const bareSchema = title === null ? plain : named(title, plain);
  const presentBare = (record: unknown) => write(record as LegacyRecord);
  return {
    kind: Kind.DOCUMENT,
    definitions: [fragmentOf(typeName, fields)],
    bareSchema,
    presentBare,
    schema: wrapper === undefined ? bareSchema : closed({ [wrapper]: bareSchema }),
    present: wrapper === undefined ? presentBare : (record: unknown) => ({ [wrapper]: presentBare(record) }),
  } as Shape<Type>;
}

interface Compiled {
  fields: SelectionNode[];
  properties: Record<string, Schema>;
  required: string[];
  write: (record: LegacyRecord) => LegacyRecord;
}

/** Adds members to `target`. */
type Writer = (record: LegacyRecord, target: LegacyRecord) => void;

function compile(type: GraphQLObjectType, table: Table<never>): Compiled {
  const fields: SelectionNode[] = [];
  const properties: Record<string, Schema> = {};
  const required: string[] = [];
  const writers: Writer[] = [];
  for (const [name, entry] of Object.entries(table)) {
    const isOptional = entry instanceof Optional;
    const member = compileEntry(type, isOptional ? entry.entry : entry);
    fields.push(...member.fields);
    properties[name] = isOptional ? nonNull(member.schema) : member.schema;
    if (!isOptional) required.push(name);
    writers.push(writerOf(name, member.present, isOptional));
  }
  const write = (record: LegacyRecord) => {
    const target: LegacyRecord = {};
    for (const writer of writers) writer(record, target);
    return target;
  };
  return { fields, properties, required, write };
}

interface Member {
  fields: readonly SelectionNode[];
  schema: Schema;
  present: (record: LegacyRecord) => unknown;
}

function compileEntry(type: GraphQLObjectType, entry: Exclude<Entry<never>, Optional<never>>): Member {
  if (entry instanceof Computed) return entry as unknown as Member;
  if (typeof entry === 'string') return fieldMember(type, entry, []);
  if (Array.isArray(entry)) return fieldMember(type, entry[0], entry.slice(1));
  const { fields, properties, required, write } = compile(type, entry as Table<never>);
  return { fields, schema: objectSchema(properties, required), present: write };
}

function fieldMember(type: GraphQLObjectType, name: string, [form, convert]: unknown[]): Member {
  const field = type.getFields()[name];
  if (!field) throw new Error(`${type.name} has no field ${name}`);
  if (isShape(form)) {
    const { selectionSet } = form.definitions[0] as FragmentDefinitionNode;
    const presentOne = form.present as (value: unknown) => unknown;
    const isList = isListType(getNullableType(field.type));
    return {
      fields: [{ ...fieldNode(name), selectionSet }],
      schema: responseSchemaOf(field, isList ? listOf(form.schema) : form.schema),
      present: (record) =>
        nullOr(record[name], isList ? (items) => (items as unknown[]).map((item) => presentOne(item)) : presentOne),
    };
  }
  const conversion = convert ?? CONVERSIONS[getNamedType(field.type).name];
  return {
    fields: [fieldNode(name)],
    schema: responseSchemaOf(field, form as Schema | undefined),
    present: conversion
      ? (record) => nullOr(record[name], conversion as (value: unknown) => unknown)
      : (record) => record[name],
  };
}

const CONVERSIONS: Record<string, ((value: Date) => string) | undefined> = { DateTime: isoSeconds };

function writerOf(name: string, present: Member['present'], isOptional: boolean): Writer {
  if (name === '...') return (record, target) => addMembers(target, present(record) as LegacyRecord | null);
  return (record, target) => {
    const value = present(record);
    if (!isOptional || (value !== null && value !== undefined)) target[name] = value;
  };
}

/** Faster than a spread, which looks up the hidden class of the new object for each member. */
function addMembers(target: LegacyRecord, members: LegacyRecord | null): void {
  if (!members) return;
  for (const name of Object.keys(members)) {
    // An assignment would set the prototype.
    if (name === '__proto__') Object.defineProperty(target, name, { value: members[name], ...ORDINARY });
    else target[name] = members[name];
  }
}

const ORDINARY = { configurable: true, enumerable: true, writable: true };

function objectSchema({ '...': others, ...properties }: Record<string, Schema>, required: string[]): ObjectSchema {
  const isMember = (name: string) => name !== '...';
  return {
    type: 'object',
    properties: properties as Record<string, Schema>,
    required: required.filter(isMember),
    additionalProperties: others ?? false,
  };
}

function fragmentOf(typeName: string, fields: SelectionNode[]): FragmentDefinitionNode {
  return {
    kind: Kind.FRAGMENT_DEFINITION,
    name: { kind: Kind.NAME, value: `${typeName}Fields` },
    typeCondition: { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: typeName } },
    selectionSet: { kind: Kind.SELECTION_SET, selections: distinct(fields) },
  };
}

function distinct(fields: SelectionNode[]): SelectionNode[] {
  return [...new Map(fields.map((field) => [(field as FieldNode).name.value, field])).values()];
}

function fieldNode(name: string): FieldNode {
  return { kind: Kind.FIELD, name: { kind: Kind.NAME, value: name } };
}

function nonNull({ type, ...others }: Schema): Schema {
  if (!Array.isArray(type)) return { type, ...others };
  const types = type.filter((name) => name !== 'null');
  return { type: types.length === 1 ? types[0] : types, ...others };
}

function isShape(form: unknown): form is NestedShape {
  return typeof form === 'object' && form !== null && 'presentBare' in form;
}

function nullOr(value: unknown, convert: (value: unknown) => unknown): unknown {
  return value === null || value === undefined ? null : convert(value);
}
