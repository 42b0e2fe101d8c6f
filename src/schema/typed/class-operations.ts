import { createRecord, createRecords } from '../../resolvers/records/create.ts';
import { deleteRecord, deleteRecords } from '../../resolvers/records/delete.ts';
import { findRecord } from '../../resolvers/records/find.ts';
import { listRecords } from '../../resolvers/records/list.ts';
import { type RecordChange, recordChange, subscribeToRecords } from '../../resolvers/records/live.ts';
import type { RecordPermissions } from '../../resolvers/records/permissions.ts';
import { updateRecord } from '../../resolvers/records/update.ts';
import type { Builder } from '../builder.ts';
import {
  CREATES_RECORD,
  CURRENT_RECORD,
  DELETES_RECORD,
  EVENT_CURSOR,
  FILTER,
  NEW_RECORDS,
  ORDER,
  PERMISSION_CHANGES,
  RECORD_ID,
  RECORD_IDS,
} from '../descriptions.ts';
import { SINCE } from '../live.ts';
import { withTotalCount } from '../total-count.ts';
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
import { classNamesOf, genericFilter, renamed, type Values, withoutNulls } from './generic-input.ts';
import type { SharedTypes } from './shared.ts';

export function addClass(builder: Builder, shared: SharedTypes, typed: TypedClass): void {
  const record = recordType(builder, shared, typed);
  const where = filterType(builder, shared, typed);
  addQueries(builder, typed, { record, where, order: orderType(builder, shared, typed) });
  addMutations(builder, shared, typed, record);
  addSubscription(builder, shared, typed, { record, where });
}

interface QueryTypes {
  record: RecordTypeRef;
  where: ReturnType<typeof filterType>;
  order: ReturnType<typeof orderType>;
}

const DEFAULT_FIRST = 50;

function addQueries(builder: Builder, typed: TypedClass, { record, where, order }: QueryTypes): void {
  const { definition, names } = typed;
  const className = definition.name;
  const nameOf = classNamesOf(typed);
  const plural = names.many.charAt(0).toUpperCase() + names.many.slice(1);

  builder.queryField(names.one, (t) =>
    t.withAuth({ session: true }).field({
      type: record,
      genericName: 'record',
      className,
      description:
        `One record of the class \`${className}\`. Fails with \`NOT_FOUND\` if it does not exist and \`FORBIDDEN\` if ` +
        'the caller may not read it.',
      args: { id: t.arg.id({ required: true, description: RECORD_ID }) },
      resolve: (_root, { id }, context) => findRecord(className, id, context),
    }),
  );

  builder.queryField(names.many, (t) =>
    t.withAuth({ session: true }).field({
      type: [record],
      genericName: 'records',
      className,
      description: `Records of the class \`${className}\` that the caller may read. Sorted by \`id\` unless \`orderBy\` is given.`,
      args: {
        where: t.arg({ type: where, description: FILTER }),
        orderBy: t.arg({ type: order, description: ORDER }),
        parentId: t.arg.id({ description: 'Only return children of this record.' }),
        first: t.arg.int({
          required: true,
          defaultValue: DEFAULT_FIRST,
          description: 'Maximum number of records, 1 to 100.',
        }),
      },
      resolve: async (_root, { where: filter, ...args }, context) => {
        const { edges } = await listRecords({ ...args, className, filter: genericFilter(filter, nameOf) }, context);
        return edges.map(({ node }) => node);
      },
    }),
  );

  builder.queryField(`${names.many}Connection`, (t) =>
    t.withAuth({ session: true }).connection(
      {
        type: record,
        genericName: 'records',
        className,
        description: `Like \`${names.many}\`, with pages and cursors.`,
        args: {
          where: t.arg({ type: where, description: FILTER }),
          orderBy: t.arg({ type: order, description: ORDER }),
          parentId: t.arg.id({ description: 'Only return children of this record.' }),
        },
        resolve: (_root, { where: filter, ...args }, context) =>
          listRecords({ ...args, className, filter: genericFilter(filter, nameOf) }, context),
      },
      {
        name: `${plural}Connection`,
        fields: withTotalCount,
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
  const { definition, names } = typed;
  const className = definition.name;
  const nameOf = classNamesOf(typed);
  const plural = names.many.charAt(0).toUpperCase() + names.many.slice(1);
  const input = inputType(builder, shared, typed);
  const changes = changesType(builder, shared, typed);
  const { increments, items, pops } = operatorTypes(builder, shared, typed);
  const newRecord = ({ parentId, permissions, ...values }: InputValues) => ({
    parentId,
    permissions,
    fields: renamed(values, nameOf),
  });

  builder.mutationField(`create${names.type}`, (t) =>
    t.withAuth({ userOrKey: true }).field({
      type: record,
      genericName: 'createRecord',
      className,
      description: CREATES_RECORD,
      args: { input: t.arg({ type: input, required: true, description: 'The record to create.' }) },
      resolve: (_root, args, context) => createRecord({ className, ...newRecord(args.input) }, context),
    }),
  );

  builder.mutationField(`create${plural}`, (t) =>
    t.withAuth({ userOrKey: true }).field({
      type: [record],
      genericName: 'createRecords',
      className,
      description:
        `Creates up to 100 records, all or none. Fails like \`create${names.type}\`; the message names the invalid ` +
        'records.',
      args: { inputs: t.arg({ type: [input], required: true, description: NEW_RECORDS }) },
      resolve: (_root, { inputs }, context) => createRecords(className, inputs.map(newRecord), context),
    }),
  );

  builder.mutationField(`update${names.type}`, (t) =>
    t.withAuth({ userOrKey: true }).field({
      type: record,
      genericName: 'updateRecord',
      className,
      description:
        'Changes a record. `set` applies first, then `inc`, `push`, `addToSet`, `pullAll` and `pop`, as far as ' +
        'the class has fields for them. Fails with `NOT_FOUND` if the record does not exist and `FORBIDDEN` if ' +
        'the caller may not update it.',
      args: {
        id: t.arg.id({ required: true, description: RECORD_ID }),
        ...(changes ? { set: t.arg({ type: changes, description: 'Values to set; null clears a field.' }) } : {}),
        ...(increments
          ? {
              inc: t.arg({
                type: increments,
                description: 'Amounts to add to number fields. An unset field counts as 0.',
              }),
            }
          : {}),
        ...(items
          ? {
              push: t.arg({ type: items, description: 'Items to append to list fields.' }),
              addToSet: t.arg({
                type: items,
                description: 'Items to append to list fields unless the list already contains them.',
              }),
              pullAll: t.arg({ type: items, description: 'Items to remove from list fields.' }),
            }
          : {}),
        ...(pops
          ? {
              pop: t.arg({
                type: pops,
                description: 'End at which to remove one item of list fields: 1 removes the last item, -1 the first.',
              }),
            }
          : {}),
        permissions: t.arg({ type: shared.permissionsInput, description: PERMISSION_CHANGES }),
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
      genericName: 'deleteRecord',
      className,
      description: DELETES_RECORD,
      args: { id: t.arg.id({ required: true, description: RECORD_ID }) },
      resolve: (_root, { id }, context) => deleteRecord(className, id, context),
    }),
  );

  builder.mutationField(`delete${plural}`, (t) =>
    t.withAuth({ userOrKey: true }).idList({
      genericName: 'deleteRecords',
      className,
      description:
        'Deletes up to 100 records and all their descendants. Returns the ids of the deleted records, and skips ' +
        'records that the caller may not delete.',
      args: { ids: t.arg.idList({ required: true, description: RECORD_IDS }) },
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
  const { definition, names } = typed;
  const className = definition.name;
  const nameOf = classNamesOf(typed);
  const changed = builder.objectRef<RecordChange>(`${names.type}Changed`).implement({
    description: `A change of a record of the class \`${className}\`. Each change is delivered once, in order.`,
    fields: (t) => ({
      cursor: t.string({
        description: EVENT_CURSOR,
        resolve: ({ position }) => String(position),
      }),
      change: t.expose('kind', { type: shared.changeKind, description: 'Kind of change at that time.' }),
      recordId: t.exposeID('recordId', {
        description: 'Id of the changed record, set even if the record was deleted.',
      }),
      [names.one]: t.expose('record', { type: record, nullable: true, description: CURRENT_RECORD }),
    }),
  });

  builder.subscriptionField(`${names.one}Changed`, (t) =>
    t.withAuth({ userOrKey: true }).field({
      type: changed,
      genericName: 'recordChanged',
      className,
      description: `Created, updated and deleted records of the class \`${className}\`, as far as the caller may read them.`,
      args: { where: t.arg({ type: where, description: FILTER }), since: t.arg.string({ description: SINCE }) },
      extensions: { viewerDependent: true },
      subscribe: (_root, { where: filter, since }, context) =>
        subscribeToRecords({ className, where: genericFilter(filter, nameOf), since: since ?? null }, context),
      resolve: (event, { where: filter }, context) => recordChange(event, genericFilter(filter, nameOf), context),
    }),
  );
}
