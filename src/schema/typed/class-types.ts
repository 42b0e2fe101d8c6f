import { unixSeconds } from '../../lib/time.ts';
import type { ClassDefinition, ClassField } from '../../resolvers/classes/catalogue.ts';
import {
  type Place,
  presentedType,
  presentFile,
  type Scalar,
  type StoredValue,
} from '../../resolvers/classes/values.ts';
import { withFields } from '../../resolvers/records/large-fields.ts';
import { type PresentedRecord, readableOnly, storedOf } from '../../resolvers/records/rows.ts';
import { listedUser } from '../../resolvers/users/listing.ts';
import type { Builder } from '../builder.ts';
import { AND, DIRECTION, OR, SORT_FIELD, UNLISTED, UPDATE_ONLY } from '../descriptions.ts';
import { type ClassNames, nameFields } from './names.ts';
import type { SharedTypes } from './shared.ts';

/** A class on its way into a schema. */
export interface TypedClass {
  known: ClassDefinition;
  names: ClassNames;
  /** GraphQL name of each field. */
  fieldNames: ReadonlyMap<string, string>;
}

export function typedClass(known: ClassDefinition, names: ClassNames): TypedClass {
  return { known, names, fieldNames: nameFields([...known.fields.keys()]) };
}

export function fieldsOf({ known }: TypedClass): ClassField[] {
  return [...known.fields.values()];
}

const SCALARS = { Integer: 'SafeInt', Float: 'Float', String: 'String', Boolean: 'Boolean', Date: 'DateTime' } as const;

/** The type of a record of the class. */
export function recordType(builder: Builder, shared: SharedTypes, typed: TypedClass) {
  return builder.objectRef<PresentedRecord>(typed.names.type).implement({
    description: `A record of the class \`${typed.known.name}\`.`,
    fields: (t) => ({
      id: t.exposeID('id', { description: '24 hex digits, which sort by time.' }),
      parentId: t.id({
        nullable: true,
        description: 'A record of any class.',
        resolve: readableOnly(({ parentId }) => parentId),
      }),
      userId: t.int({
        nullable: true,
        description: `The owner; 0 for those of API keys alone. ${UPDATE_ONLY}`,
        resolve: readableOnly(({ userId }) => userId),
      }),
      owner: t.field({
        type: shared.user,
        nullable: true,
        description: `Null for those of API keys alone, and once the user is deleted. ${UNLISTED}`,
        resolve: ({ applicationId, userId, isHidden }, _args, context) =>
          userId === 0 || isHidden ? null : listedUser({ applicationId, id: userId }, context),
      }),
      permissions: t.field({
        type: shared.permissions,
        nullable: true,
        description: `Who may do what, whether the record or its class says so. ${UPDATE_ONLY}`,
        resolve: readableOnly((record) => record),
      }),
      createdAt: t.int({ description: 'Unix seconds.', resolve: ({ createdAt }) => unixSeconds(createdAt) }),
      updatedAt: t.int({ description: 'Unix seconds.', resolve: ({ updatedAt }) => unixSeconds(updatedAt) }),
      ...Object.fromEntries(
        fieldsOf(typed).map((field) => {
          const type = outputType(shared, field);
          const resolve = readableOnly((record, context) =>
            withFields(record, field.name, context, (fields) => typedValue(field, storedOf(fields, field.name))),
          );
          const options = {
            type: field.isArray ? [type] : type,
            nullable: true,
            description: fieldNote(typed, field),
            resolve,
          };
          return [typed.fieldNames.get(field.name)!, t.field(options as never)];
        }),
      ),
    }),
  });
}

export type RecordTypeRef = ReturnType<typeof recordType>;

function outputType(shared: SharedTypes, { type }: ClassField) {
  if (type === 'Location') return shared.point;
  return type === 'File' ? shared.file : SCALARS[type];
}

/** Says what a field is called in the class, which may differ from its GraphQL name, and what it holds. */
function fieldNote({ known }: TypedClass, { name, type, isArray, isRequired, isUnique }: ClassField): string {
  const notes = [isRequired && 'required', isUnique && 'unique'].filter(Boolean);
  const kind = isArray ? `several of ${type}` : type;
  return `The field \`${name}\` of the class \`${known.name}\`: ${[kind, ...notes].join(', ')}.`;
}

/** A value as its GraphQL type takes it: places stay objects. */
function typedValue(field: ClassField, stored: StoredValue | undefined): unknown {
  if (stored === undefined) return null;
  if (field.type === 'Location') return stored as Place | Place[];
  if (field.type === 'File') return presentFile(stored as never);
  return presentedType(field, stored as Scalar | Scalar[]);
}

/** What `where` takes for a class. */
export function filterType(builder: Builder, shared: SharedTypes, typed: TypedClass) {
  const ref = builder.inputRef<Record<string, unknown>>(`${typed.names.type}Filter`);
  return ref.implement({
    description: 'All that is given must match; of `or` at least one, of `and` each.',
    fields: (t: never) => {
      const field = t as { field: (options: unknown) => never };
      const of = (type: unknown, description: string) => field.field({ type, description });
      return {
        id: of(shared.idFilter, 'By their ids.'),
        parentId: of(shared.idFilter, 'By the record that they lie below.'),
        userId: of(shared.userFilter, 'By their owners; 0 for those of API keys alone.'),
        createdAt: of(shared.timeFilter, 'When they were stored.'),
        updatedAt: of(shared.timeFilter, 'When they were last changed.'),
        ...Object.fromEntries(
          fieldsOf(typed).map((one) => [
            typed.fieldNames.get(one.name)!,
            of(filterOf(shared, one), fieldNote(typed, one)),
          ]),
        ),
        or: of([ref], OR),
        and: of([ref], AND),
      };
    },
  } as never) as typeof ref;
}

function filterOf({ filters, listFilters }: SharedTypes, { type, isArray }: ClassField) {
  return isArray && type !== 'File' ? listFilters[type] : filters[type];
}

/** What `orderBy` takes for a class. */
export function orderType(builder: Builder, shared: SharedTypes, typed: TypedClass) {
  const sortable = fieldsOf(typed).filter(({ type, isArray }) => !isArray && type !== 'Location' && type !== 'File');
  const orderField = builder.enumType(`${typed.names.type}OrderField`, {
    description: `What records of the class \`${typed.known.name}\` can be sorted by.`,
    values: {
      id: { value: '_id', description: 'By id, which is the order in which they were stored.' },
      parentId: { value: '_parent_id', description: 'By the id of the record that they lie below.' },
      userId: { value: 'user_id', description: "By their owner's id." },
      createdAt: { value: 'created_at', description: 'When they were stored.' },
      updatedAt: { value: 'updated_at', description: 'When they were last changed.' },
      ...Object.fromEntries(
        sortable.map((field) => [
          typed.fieldNames.get(field.name)!,
          { value: field.name, description: fieldNote(typed, field) },
        ]),
      ),
    },
  });
  return builder.inputType(`${typed.names.type}Order`, {
    description: 'Unset values come last, ties by `id` in the same direction.',
    fields: (t) => ({
      field: t.field({ type: orderField, required: true, description: SORT_FIELD }),
      direction: t.field({ type: shared.direction, required: true, description: DIRECTION }),
    }),
  });
}

type Values = Record<string, unknown>;

/** What creates a record of the class. */
export function inputType(builder: Builder, shared: SharedTypes, typed: TypedClass) {
  return valuesType(builder, shared, typed, {
    name: `${typed.names.type}Input`,
    description: `A record to be stored in the class \`${typed.known.name}\`.`,
    isRequired: ({ isRequired }) => isRequired,
    more: (t) => ({
      parentId: t.field({
        type: 'ID',
        description: 'A record of any class; whoever deletes it deletes this one, too.',
      }),
      permissions: t.field({ type: shared.permissionsInput, description: 'What is left out is as the class says.' }),
    }),
  });
}

/** Values to set in a record of the class; null unsets. */
export function changesType(builder: Builder, shared: SharedTypes, typed: TypedClass) {
  return valuesType(builder, shared, typed, {
    name: `${typed.names.type}Changes`,
    description: `Values for a record of the class \`${typed.known.name}\`; what is left out stays, null unsets.`,
    isRequired: () => false,
    more: () => ({}),
  });
}

/** Arguments of the update operators, by field; undefined where the class has no field for them. */
export function operatorTypes(builder: Builder, shared: SharedTypes, typed: TypedClass) {
  const fields = fieldsOf(typed);
  const numbers = fields.filter(({ type, isArray }) => !isArray && (type === 'Integer' || type === 'Float'));
  const arrays = fields.filter(({ isArray }) => isArray);
  const part = (suffix: string, description: string, of: ClassField[], typeOf: (field: ClassField) => unknown) => {
    if (of.length === 0) return undefined;
    const ref = builder.inputRef<Values>(`${typed.names.type}${suffix}`);
    const fieldsOfPart = (t: InputFieldBuilder) =>
      Object.fromEntries(
        of.map((field) => [
          typed.fieldNames.get(field.name)!,
          t.field({ type: typeOf(field), description: fieldNote(typed, field) }),
        ]),
      );
    return ref.implement({ description, fields: fieldsOfPart } as never) as typeof ref;
  };
  return {
    increments: part('Increments', 'What to add to numbers.', numbers, (field) => valueType(shared, field)),
    items: part('Items', 'Items of fields that hold several values.', arrays, (field) => [valueType(shared, field)]),
    pops: part('Pops', 'Which end of a field to take an item from.', arrays, () => 'Int'),
  };
}

interface InputFieldBuilder {
  field: (options: { type: unknown; required?: boolean; description?: string | undefined }) => unknown;
}

function valuesType(
  builder: Builder,
  shared: SharedTypes,
  typed: TypedClass,
  options: {
    name: string;
    description: string;
    isRequired: (field: ClassField) => boolean;
    more: (t: InputFieldBuilder) => Values;
  },
) {
  const ref = builder.inputRef<Values>(options.name);
  return ref.implement({
    description: options.description,
    fields: (t: never) => {
      const field = t as InputFieldBuilder;
      const values = fieldsOf(typed).filter(({ type }) => type !== 'File');
      return {
        ...Object.fromEntries(
          values.map((one) => {
            const type = valueType(shared, one);
            const asked = {
              type: one.isArray ? [type] : type,
              required: options.isRequired(one),
              description: fieldNote(typed, one),
            };
            return [typed.fieldNames.get(one.name)!, field.field(asked)];
          }),
        ),
        ...options.more(field),
      };
    },
  } as never) as typeof ref;
}

function valueType(shared: SharedTypes, { type }: ClassField) {
  return type === 'Location' ? shared.pointInput : SCALARS[type as keyof typeof SCALARS];
}
