import { createRecord, createRecords } from '../../resolvers/records/create.ts';
import { deleteRecord, deleteRecords } from '../../resolvers/records/delete.ts';
import { findRecord } from '../../resolvers/records/find.ts';
import { listRecords } from '../../resolvers/records/list.ts';
import { type RecordChange, recordChange, subscribeToRecords } from '../../resolvers/records/live.ts';
import type { RecordPermissions } from '../../resolvers/records/permissions.ts';
import { updateRecord } from '../../resolvers/records/update.ts';
import type { Builder } from '../builder.ts';
import { FILTER, ORDER, RECORD_ID } from '../descriptions.ts';
import { SINCE } from '../live.ts';
import { metered } from '../metered.ts';
import {
  changesType,
  filterType,
  inputType,
  operatorTypes,
  orderType,
  type RecordTypeRef,
  recordType,
  type TypedClass,
} from './class-types.ts';
import type { SharedTypes } from './shared.ts';

type Values = Record<string, unknown>;

/** Adds a class to a schema: its types, and the operations on its records, run by the resolvers of the generic ones. */
export function addClass(builder: Builder, shared: SharedTypes, typed: TypedClass): void {
  const record = recordType(builder, shared, typed);
  const where = filterType(builder, shared, typed);
  addQueries(builder, typed, { record, where, order: orderType(builder, shared, typed) });
  addMutations(builder, shared, typed, record);
  addSubscription(builder, shared, typed, { record, where });
}

/** Typed names to those of the class. */
function classNamesOf({ fieldNames }: TypedClass): (typed: string) => string {
  const names = new Map([...fieldNames].map(([name, typed]) => [typed, name]));
  return (typed) => names.get(typed) ?? typed;
}

function renamed(values: Values | null | undefined, nameOf: (typed: string) => string): Values | undefined {
  if (values == null) return undefined;
  return Object.fromEntries(Object.entries(values).map(([typed, value]) => [nameOf(typed), value]));
}

/** To add null, or to take it away, asks for nothing. */
function withoutNulls(values: Values | null | undefined): Values | undefined {
  if (values == null) return undefined;
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}

/** What all records have, by the names that no class has a field of. */
const COMMON = new Map([
  ['id', '_id'],
  ['parentId', '_parent_id'],
  ['userId', 'user_id'],
  ['createdAt', 'created_at'],
  ['updatedAt', 'updated_at'],
]);

/** `where` in the words of the generic operations. */
function genericFilter(where: unknown, nameOf: (typed: string) => string): Values | undefined {
  if (where == null) return undefined;
  return Object.fromEntries(
    Object.entries(where as Values).flatMap(([typed, asked]): [string, unknown][] => {
      if (asked === null || asked === undefined) return [];
      if (typed === 'or' || typed === 'and')
        return [[typed, (asked as Values[]).map((part) => genericFilter(part, nameOf))]];
      return [[COMMON.get(typed) ?? nameOf(typed), operatorsOf(asked as Values)]];
    }),
  );
}

/** As everywhere, null asks for nothing, but for `eq` and `ne`, where it is what is unset. */
function operatorsOf(asked: Values): Values {
  return Object.fromEntries(
    Object.entries(asked).filter(([operator, value]) => value !== null || operator === 'eq' || operator === 'ne'),
  );
}

interface QueryTypes {
  record: RecordTypeRef;
  where: ReturnType<typeof filterType>;
  order: ReturnType<typeof orderType>;
}

/** Records of one call of the plain list. */
const DEFAULT_FIRST = 50;

function addQueries(builder: Builder, typed: TypedClass, { record, where, order }: QueryTypes): void {
  const { known, names } = typed;
  const className = known.name;
  const nameOf = classNamesOf(typed);
  const plural = names.many.charAt(0).toUpperCase() + names.many.slice(1);

  builder.queryField(names.one, (t) =>
    t.withAuth({ session: true }).field({
      type: record,
      description: `One record of the class \`${className}\` that the caller may read.`,
      args: { id: t.arg.id({ required: true, description: RECORD_ID }) },
      resolve: (_root, { id }, context) => findRecord(className, id, context),
    }),
  );

  builder.queryField(names.many, (t) =>
    t.withAuth({ session: true }).field({
      type: [record],
      description: `Records of the class \`${className}\` that the caller may read, by \`id\` or as asked.`,
      args: {
        where: t.arg({ type: where, description: FILTER }),
        orderBy: t.arg({ type: order, description: ORDER }),
        parentId: t.arg.id({ description: 'Only records below this one.' }),
        first: t.arg.int({ required: true, defaultValue: DEFAULT_FIRST, description: '1 to 100.' }),
      },
      resolve: async (_root, { where: asked, ...args }, context) => {
        const { edges } = await listRecords({ ...args, className, filter: genericFilter(asked, nameOf) }, context);
        return edges.map(({ node }) => node);
      },
    }),
  );

  builder.queryField(`${names.many}Connection`, (t) =>
    t.withAuth({ session: true }).connection(
      {
        type: record,
        description: 'The same with cursors.',
        args: {
          where: t.arg({ type: where, description: FILTER }),
          orderBy: t.arg({ type: order, description: ORDER }),
          parentId: t.arg.id({ description: 'Only records below this one.' }),
        },
        resolve: (_root, { where: asked, ...args }, context) =>
          listRecords({ ...args, className, filter: genericFilter(asked, nameOf) }, context),
      },
      {
        name: `${plural}Connection`,
        fields: metered,
      },
      { name: `${plural}ConnectionEdge` },
    ),
  );
}

interface InputValues extends Values {
  parentId?: string | null;
  permissions?: RecordPermissions | null;
}

function addMutations(builder: Builder, shared: SharedTypes, typed: TypedClass, record: RecordTypeRef): void {
  const { known, names } = typed;
  const className = known.name;
  const nameOf = classNamesOf(typed);
  const plural = names.many.charAt(0).toUpperCase() + names.many.slice(1);
  const input = inputType(builder, shared, typed);
  const changes = known.fields.size === 0 ? undefined : changesType(builder, shared, typed);
  const { increments, items, pops } = operatorTypes(builder, shared, typed);
  const newRecord = ({ parentId, permissions, ...values }: InputValues) => ({
    parentId,
    permissions,
    fields: renamed(values, nameOf),
  });

  builder.mutationField(`create${names.type}`, (t) =>
    t.withAuth({ userOrKey: true }).field({
      type: record,
      description: 'Stores a record, which the caller owns.',
      args: { input: t.arg({ type: input, required: true, description: 'Its values.' }) },
      resolve: (_root, args, context) => createRecord({ className, ...newRecord(args.input) }, context),
    }),
  );

  builder.mutationField(`create${plural}`, (t) =>
    t.withAuth({ userOrKey: true }).field({
      type: [record],
      description: 'Stores up to 100 records, all or none.',
      args: { inputs: t.arg({ type: [input], required: true, description: 'Up to 100 records.' }) },
      resolve: (_root, { inputs }, context) => createRecords(className, inputs.map(newRecord), context),
    }),
  );

  builder.mutationField(`update${names.type}`, (t) =>
    t.withAuth({ userOrKey: true }).field({
      type: record,
      description: 'Sets values, then applies the operators in the order of the arguments.',
      args: {
        id: t.arg.id({ required: true, description: RECORD_ID }),
        ...(changes ? { set: t.arg({ type: changes, description: 'Null unsets.' }) } : {}),
        ...(increments ? { inc: t.arg({ type: increments, description: 'Adds to numbers.' }) } : {}),
        ...(items
          ? {
              push: t.arg({ type: items, description: 'Appends items.' }),
              addToSet: t.arg({ type: items, description: 'Appends those that are not there yet.' }),
              pullAll: t.arg({ type: items, description: 'Removes every item of the list.' }),
            }
          : {}),
        ...(pops ? { pop: t.arg({ type: pops, description: '1 removes the last item, -1 the first.' }) } : {}),
        permissions: t.arg({ type: shared.permissionsInput, description: 'What is left out stays as it is.' }),
      },
      resolve: (_root, args, context) => {
        const { id, set, inc, push, addToSet, pullAll, pop, permissions } = args as InputValues & { id: string };
        const of = (values: unknown) => renamed(withoutNulls(values as Values | undefined), nameOf);
        const update = {
          fields: renamed(set as Values | undefined, nameOf),
          inc: of(inc),
          push: of(push),
          addToSet: of(addToSet),
          pullAll: of(pullAll),
          pop: of(pop),
        };
        return updateRecord(className, id, { ...update, permissions: permissions ?? null }, context);
      },
    }),
  );

  builder.mutationField(`delete${names.type}`, (t) =>
    t.withAuth({ userOrKey: true }).boolean({
      description: 'Deletes a record and all that lie below it, whoever owns those.',
      args: { id: t.arg.id({ required: true, description: RECORD_ID }) },
      resolve: (_root, { id }, context) => deleteRecord(className, id, context),
    }),
  );

  builder.mutationField(`delete${plural}`, (t) =>
    t.withAuth({ userOrKey: true }).idList({
      description: 'The same for up to 100; answers the ids of those that are deleted.',
      args: { ids: t.arg.idList({ required: true, description: 'Up to 100 ids, 24 hex digits each.' }) },
      resolve: async (_root, { ids }, context) => (await deleteRecords(className, ids, context)).deletedIds,
    }),
  );
}

function addSubscription(
  builder: Builder,
  shared: SharedTypes,
  typed: TypedClass,
  { record, where }: Omit<QueryTypes, 'order'>,
): void {
  const { known, names } = typed;
  const className = known.name;
  const nameOf = classNamesOf(typed);
  const changed = builder.objectRef<RecordChange>(`${names.type}Changed`).implement({
    description: 'Something that happened to a record, told once and in order.',
    fields: (t) => ({
      cursor: t.string({
        description: 'Place in the one stream of all events; give it to any operation as `since` to go on from here.',
        resolve: ({ position }) => String(position),
      }),
      change: t.expose('kind', { type: shared.changeKind, description: 'What happened then.' }),
      recordId: t.exposeID('recordId', { description: 'Which record it happened to, also where that is gone.' }),
      [names.one]: t.expose('record', {
        type: record,
        nullable: true,
        description:
          'As it is when this is told: put it in the place of what you have. Null: take that away, as the record is ' +
          'gone, or no longer the caller’s to read or what `where` names.',
      }),
    }),
  });

  builder.subscriptionField(`${names.one}Changed`, (t) =>
    t.withAuth({ userOrKey: true }).field({
      type: changed,
      description: 'Records that are created, changed or deleted, as far as the caller may read them.',
      args: { where: t.arg({ type: where, description: FILTER }), since: t.arg.string({ description: SINCE }) },
      extensions: { viewerDependent: true },
      subscribe: (_root, { where: asked, since }, context) =>
        subscribeToRecords({ className, where: genericFilter(asked, nameOf), since: since ?? null }, context),
      resolve: (event, { where: asked }, context) => recordChange(event, genericFilter(asked, nameOf), context),
    }),
  );
}
