import type { ClassDefinition, ClassField } from '../../resolvers/classes/catalogue.ts';
import {
  type GeoPoint,
  presentedType,
  presentFile,
  type Scalar,
  type StoredValue,
} from '../../resolvers/classes/values.ts';
import { withFields } from '../../resolvers/records/large-fields.ts';
import { type PresentedRecord, readableOnly, storedOf } from '../../resolvers/records/rows.ts';
import { listedUser } from '../../resolvers/users/listing.ts';
import type { Builder } from '../builder.ts';
import { AND, DIRECTION, OR, PARENT_ID, RECORD_ORDER, SORT_FIELD, UNLISTED, UPDATE_ONLY } from '../descriptions.ts';
import { commonFields } from '../record-fields.ts';
import { type ClassNames, nameFields } from './names.ts';
import type { SharedTypes } from './shared.ts';

export interface TypedClass {
  definition: ClassDefinition;
  names: ClassNames;
  fieldNames: ReadonlyMap<string, string>;
}

export function typedClass(definition: ClassDefinition, names: ClassNames): TypedClass {
  return { definition, names, fieldNames: nameFields([...definition.fields.keys()]) };
}

export function fieldsOf({ definition }: TypedClass): ClassField[] {
  return [...definition.fields.values()];
}

const SCALARS = { Integer: 'SafeInt', Float: 'Float', String: 'String', Boolean: 'Boolean', Date: 'DateTime' } as const;

export function recordType(builder: Builder, shared: SharedTypes, typed: TypedClass) {
  return builder.objectRef<PresentedRecord>(typed.names.type).implement({
    description: `A record of the class \`${typed.definition.name}\`.`,
    fields: (t) => ({
      ...commonFields(t, shared.permissions),
      owner: t.field({
        type: shared.user,
        nullable: true,
        description:
          'The owner; null if an API key without `On-Behalf-Of` created the record, or the user is deleted. ' +
          `${UPDATE_ONLY} ${UNLISTED}`,
        resolve: ({ applicationId, userId, isHidden }, _args, context) =>
          userId === 0 || isHidden ? null : listedUser({ applicationId, id: userId }, context),
      }),
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

function fieldNote({ definition }: TypedClass, { name, type, isArray, isRequired, isUnique }: ClassField): string {
  const notes = [isRequired && 'required', isUnique && 'unique'].filter(Boolean);
  const kind = isArray ? `list of ${type}` : type;
  return `Field \`${name}\` of the class \`${definition.name}\`: ${[kind, ...notes].join(', ')}.`;
}

/** Unlike `presentedType`, returns locations as objects. */
function typedValue(field: ClassField, stored: StoredValue | undefined): unknown {
  if (stored === undefined) return null;
  if (field.type === 'Location') return stored as GeoPoint | GeoPoint[];
  if (field.type === 'File') return presentFile(stored as never);
  return presentedType(field, stored as Scalar | Scalar[]);
}

export function filterType(builder: Builder, shared: SharedTypes, typed: TypedClass) {
  const ref = builder.inputRef<Record<string, unknown>>(`${typed.names.type}Filter`);
  return ref.implement({
    description:
      'Conditions on records. A record must match all given fields, every entry of `and`, and at least one ' +
      'entry of `or`.',
    fields: (t: never) => {
      const field = t as { field: (options: unknown) => never };
      const of = (type: unknown, description: string) => field.field({ type, description });
      return {
        id: of(shared.idFilter, 'Compares the record id.'),
        parentId: of(shared.idFilter, 'Compares the id of the parent record.'),
        userId: of(
          shared.userFilter,
          'Compares the user id of the owner, which is 0 if an API key without `On-Behalf-Of` created the record.',
        ),
        createdAt: of(shared.timeFilter, 'Compares the time of creation, in Unix seconds.'),
        updatedAt: of(shared.timeFilter, 'Compares the time of the last change, in Unix seconds.'),
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

export function orderType(builder: Builder, shared: SharedTypes, typed: TypedClass) {
  const sortable = fieldsOf(typed).filter(({ type, isArray }) => !isArray && type !== 'Location' && type !== 'File');
  const orderField = builder.enumType(`${typed.names.type}OrderField`, {
    description: `Fields by which records of the class \`${typed.definition.name}\` can be sorted.`,
    values: {
      id: { value: '_id', description: 'Record id, which is the order of creation.' },
      parentId: { value: '_parent_id', description: 'Id of the parent record.' },
      userId: { value: 'user_id', description: 'User id of the owner.' },
      createdAt: { value: 'created_at', description: 'Time of creation.' },
      updatedAt: { value: 'updated_at', description: 'Time of the last change.' },
      ...Object.fromEntries(
        sortable.map((field) => [
          typed.fieldNames.get(field.name)!,
          { value: field.name, description: fieldNote(typed, field) },
        ]),
      ),
    },
  });
  return builder.inputType(`${typed.names.type}Order`, {
    description: RECORD_ORDER,
    fields: (t) => ({
      field: t.field({ type: orderField, required: true, description: SORT_FIELD }),
      direction: t.field({ type: shared.direction, required: true, description: DIRECTION }),
    }),
  });
}

type Values = Record<string, unknown>;

export function inputType(builder: Builder, shared: SharedTypes, typed: TypedClass) {
  return valuesType(builder, shared, typed, {
    name: `${typed.names.type}Input`,
    description: `A record of the class \`${typed.definition.name}\` to create.`,
    isRequired: ({ isRequired }) => isRequired,
    more: (t) => ({
      parentId: t.field({ type: 'ID', description: PARENT_ID }),
      permissions: t.field({
        type: shared.permissionsInput,
        description: 'Permissions of the record. Default: the permissions of the class.',
      }),
    }),
  });
}

/** Undefined for a class without fields that can be set, because a type needs a field. */
export function changesType(builder: Builder, shared: SharedTypes, typed: TypedClass) {
  if (settableFields(typed).length === 0) return undefined;
  return valuesType(builder, shared, typed, {
    name: `${typed.names.type}Changes`,
    description:
      `Values to set in a record of the class \`${typed.definition.name}\`. Omitted fields remain unchanged; null ` +
      'clears a field.',
    isRequired: () => false,
    more: () => ({}),
  });
}

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
    increments: part('Increments', 'Amounts to add to number fields.', numbers, (field) => valueType(shared, field)),
    items: part('Items', 'Items by list field.', arrays, (field) => [valueType(shared, field)]),
    pops: part(
      'Pops',
      'Ends of list fields at which to remove one item: 1 is the last item, -1 the first.',
      arrays,
      () => 'Int',
    ),
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
      return {
        ...Object.fromEntries(
          settableFields(typed).map((one) => {
            const type = valueType(shared, one);
            const fieldOptions = {
              type: one.isArray ? [type] : type,
              required: options.isRequired(one),
              description: fieldNote(typed, one),
            };
            return [typed.fieldNames.get(one.name)!, field.field(fieldOptions)];
          }),
        ),
        ...options.more(field),
      };
    },
  } as never) as typeof ref;
}

/** Files are uploaded. */
function settableFields(typed: TypedClass): ClassField[] {
  return fieldsOf(typed).filter(({ type }) => type !== 'File');
}

function valueType(shared: SharedTypes, { type }: ClassField) {
  return type === 'Location' ? shared.pointInput : SCALARS[type as keyof typeof SCALARS];
}
