import type { Parameters } from '../lib/bracket-keys.ts';
import { readInteger, readText } from '../lib/casts.ts';
import { BadInputError, UnprocessableError } from '../lib/errors.ts';
import { isObject, type JsonValue } from '../lib/json.ts';
import { inRecord } from '../lib/problems.ts';
import { MAX_RECORDS } from '../resolvers/records/create.ts';
import { CLASS_NAME, RECORD_ID } from '../schema/descriptions.ts';
import { presentDeleted } from './deletions.ts';
import { graphql } from './graphql.ts';
import { route } from './http/route.ts';
import { recordDocs } from './openapi/docs/records.ts';
import { anything, described, mapOf, text } from './openapi/docs/schemas.ts';
import { readWindow, window } from './parameters/lists.ts';
import { id, ids, shownAs, unchecked } from './parameters/readers.ts';
import {
  asInput,
  type ParameterSource,
  type ParameterTable,
  parameters,
  required,
  tableOf,
  together,
} from './parameters/table.ts';
import { presentRecord } from './presented-records.ts';
import { CHILD, changedRecord, newRecord, RECORD_IDS, readCriteria } from './record-forms.ts';
import { recordFilters } from './record-lists.ts';
import { recordShape } from './shapes/record.ts';

const CreateRecord = graphql(
  `mutation CreateRecord($input: CreateRecordInput!) { createRecord(input: $input) { ...RecordFields } }`,
  [recordShape],
);

const CreateChildRecord = graphql(
  `mutation CreateChildRecord($input: CreateChildRecordInput!) { createChildRecord(input: $input) { ...RecordFields } }`,
  [recordShape],
);

const CreateRecords = graphql(
  `mutation CreateRecords($className: String!, $records: [NewRecordInput!]!) {
    createRecords(className: $className, records: $records) { ...RecordFields }
  }`,
  [recordShape],
);

const UpdateRecord = graphql(
  `mutation UpdateRecord($className: String!, $id: ID!, $input: UpdateRecordInput!) {
    updateRecord(className: $className, id: $id, input: $input) { ...RecordFields }
  }`,
  [recordShape],
);

const UpdateRecords = graphql(
  `mutation UpdateRecords($className: String!, $records: [ChangedRecordInput!]!) {
    updateRecords(className: $className, records: $records) { records { ...RecordFields } notFoundIds }
  }`,
  [recordShape],
);

const UpdateRecordsByCriteria = graphql(
  `mutation UpdateRecordsByCriteria(
    $className: String!, $criteria: JSON, $input: UpdateRecordInput!, $skip: Int!, $limit: Int!
  ) {
    updateRecordsByCriteria(className: $className, criteria: $criteria, input: $input, skip: $skip, limit: $limit) {
      skip limit totalFound items { ...RecordFields }
    }
  }`,
  [recordShape],
);

const DeleteRecord = graphql(`mutation DeleteRecord($className: String!, $id: ID!) {
  deleteRecord(className: $className, id: $id)
}`);

const DeleteRecords = graphql(`mutation DeleteRecords($className: String!, $ids: [ID!]!) {
  deleteRecords(className: $className, ids: $ids) { deletedIds notFoundIds wrongPermissionsIds }
}`);

const DeleteRecordsByCriteria = graphql(`mutation DeleteRecordsByCriteria($className: String!, $criteria: JSON) {
  deleteRecordsByCriteria(className: $className, criteria: $criteria) { totalDeleted }
}`);

/** `{ "record": { "1": { … }, "2": { … } } }`, in numeric order; each record is read by a call. */
function several<Values>({ schema, read }: ParameterTable<Values>) {
  return tableOf(
    {
      record: {
        ...mapOf(schema),
        description: `Up to ${MAX_RECORDS} records by number, processed in numeric order.`,
      },
    },
    ({ record }, source) =>
      readNumbered(record).map(([number, parameters]) => [number, () => read(parameters, source)] as const),
    ['record'],
  );
}

const changedByCriteria = {
  schema: together(
    parameters('Mutation.updateRecordsByCriteria', {
      search_criteria: ['criteria', required(shownAs(unchecked, mapOf(anything))), 'Filters, as in lists.'],
    }),
    window,
    changedRecord,
  ).schema,
  read: (parameters: Parameters, source: ParameterSource) => {
    const { search_criteria: criteria, limit: _limit, skip: _skip, ...changes } = parameters;
    return {
      criteria: isObject(criteria) ? readCriteria(criteria) : undefined,
      input: changedRecord.read(changes, source),
      ...readWindow(parameters),
    };
  },
};

export const recordChangeRoutes = [
  route({
    method: 'post',
    path: '/data/:class/multi',
    xml: 'records',
    document: CreateRecords,
    inPath: { class: ['className', id] },
    parameters: several(newRecord),
    variables: ({ inPath, values }) => ({
      ...inPath,
      records: values.map(([number, read]) => ({ number, ...numbered(number, read) })),
    }),
    present: ({ createRecords }, { path }) => ({
      class_name: path.class,
      items: createRecords.map((record) => presentRecord(record)),
    }),
    docs: recordDocs.createRecords,
  }),
  route({
    method: 'put',
    path: '/data/:class/multi',
    xml: 'records',
    plainRefusal: true,
    document: UpdateRecords,
    inPath: { class: ['className', id] },
    parameters: several({
      schema: together(
        changedRecord,
        tableOf({ id: described(text, RECORD_ID) }, () => ({}), ['id']),
      ).schema,
      read: ({ id, ...parameters }, source) => {
        const name = readText(id);
        if (!name) throw new BadInputError('ID_MISSING');
        return { id: name, changes: changedRecord.read(parameters, source) };
      },
    }),
    variables: ({ inPath, values }) => ({ ...inPath, records: values.map(([, read]) => read()) }),
    present: ({ updateRecords: { records, notFoundIds } }, { path }) => ({
      class_name: path.class,
      not_found: { ids: notFoundIds },
      items: records.map((record) => presentRecord(record)),
    }),
    docs: recordDocs.updateRecords,
  }),
  route({
    method: 'put',
    path: '/data/:class/by_criteria',
    xml: 'records',
    document: UpdateRecordsByCriteria,
    inPath: { class: ['className', id] },
    parameters: changedByCriteria,
    present: ({ updateRecordsByCriteria: { skip, limit, totalFound, items } }, { path }) => ({
      class_name: path.class,
      skip,
      limit,
      total_found: totalFound,
      items: items.map((record) => presentRecord(record)),
    }),
    docs: recordDocs.updateRecordsByCriteria,
  }),
  route({
    method: 'delete',
    path: '/data/:class/by_criteria',
    document: DeleteRecordsByCriteria,
    inPath: { class: ['className', id] },
    parameters: { schema: recordFilters, read: (parameters) => ({ criteria: readCriteria(parameters) }) },
    present: ({ deleteRecordsByCriteria: { totalDeleted } }) => ({ total_deleted: totalDeleted }),
    docs: recordDocs.deleteRecordsByCriteria,
  }),
  route({
    method: 'post',
    path: '/data/:class',
    xml: 'record',
    document: CreateRecord,
    inPath: { class: ['className', id, CLASS_NAME] },
    parameters: newRecord,
    variables: ({ inPath, values }) => ({ input: { ...inPath, ...values } }),
    present: ({ createRecord }) => presentRecord(createRecord),
    docs: recordDocs.createRecord,
  }),
  route({
    method: 'delete',
    path: '/data/:class/:ids',
    several: true,
    document: DeleteRecords,
    inPath: { class: ['className', id], ids: ['ids', ids, RECORD_IDS] },
    present: ({ deleteRecords }) => presentDeleted(deleteRecords),
    docs: recordDocs.deleteRecords,
  }),
  route({
    method: 'put',
    path: '/data/:class/:id',
    xml: 'record',
    document: UpdateRecord,
    inPath: { class: ['className', id], id: ['id', id] },
    parameters: asInput(changedRecord),
    present: ({ updateRecord }) => presentRecord(updateRecord),
    docs: recordDocs.updateRecord,
  }),
  route({
    method: 'delete',
    path: '/data/:class/:id',
    document: DeleteRecord,
    inPath: { class: ['className', id], id: ['id', id] },
    docs: recordDocs.deleteRecord,
  }),
  route({
    method: 'post',
    path: '/data/:class/:parent/:child',
    xml: 'record',
    plainRefusal: true,
    document: CreateChildRecord,
    inPath: CHILD,
    parameters: newRecord,
    variables: ({ path, values: { fields, permissions } }) => ({
      input: {
        className: path.child,
        parentClassName: path.class,
        parentId: path.parent,
        fields,
        permissions,
      },
    }),
    present: ({ createChildRecord }) => presentRecord(createChildRecord),
    docs: recordDocs.createChildRecord,
  }),
];

/** @throws {BadInputError} empty, or a key that is not a number */
function readNumbered(record: JsonValue | undefined): [number: number, parameters: Parameters][] {
  const entries: [string, JsonValue][] = Array.isArray(record)
    ? record.map((parameters, index) => [String(index + 1), parameters])
    : isObject(record)
      ? Object.entries(record)
      : [];
  if (entries.length === 0) throw new BadInputError('RECORDS_MISSING');
  return entries
    .map(([key, parameters]): [number, Parameters] => {
      const number = readInteger(key);
      if (number === undefined || !isObject(parameters)) throw new BadInputError('RECORDS_MISSING');
      return [number, parameters];
    })
    .sort(([a], [b]) => a - b);
}

function numbered<Read>(number: number, read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UnprocessableError)) throw error;
    throw new UnprocessableError(...error.problems.map((problem) => inRecord(number, problem)));
  }
}
