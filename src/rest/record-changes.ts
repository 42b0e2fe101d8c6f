import { isObject, type Parameters, type ParameterValue } from '../lib/bracket-keys.ts';
import { BadInputError, UnprocessableError } from '../lib/errors.ts';
import { readInteger, readText } from '../lib/parameter-values.ts';
import { presentDeleted } from './deletions.ts';
import { errorList } from './errors.ts';
import { graphql } from './graphql.ts';
import { readIds, readWindow } from './http/lists.ts';
import { created, empty, ok, route } from './http/route.ts';
import { recordDocs } from './openapi/docs/records.ts';
import { presentRecord } from './presented-records.ts';
import { readChanges, readCriteria, readNewRecord } from './record-forms.ts';
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

export const recordChangeRoutes = [
  route({
    method: 'post',
    path: '/data/:class/multi',
    xml: 'records',
    document: CreateRecords,
    variables: (request) => ({
      className: request.path.class!,
      records: readNumbered(request.parameters.record).map(([number, parameters]) => ({
        number,
        ...named(number, () => readNewRecord(parameters, request)),
      })),
    }),
    respond: ({ createRecords }, { path }) =>
      created({ class_name: path.class, items: createRecords.map((record) => presentRecord(record)) }),
    errors: errorList,
    docs: recordDocs.createRecords,
  }),
  route({
    method: 'put',
    path: '/data/:class/multi',
    xml: 'records',
    plainRefusal: true,
    document: UpdateRecords,
    variables: (request) => ({
      className: request.path.class!,
      records: readNumbered(request.parameters.record).map(([, { id, ...parameters }]) => {
        const name = readText(id);
        if (!name) throw new BadInputError('id is missing');
        return { id: name, changes: readChanges(parameters, request) };
      }),
    }),
    respond: ({ updateRecords: { records, notFoundIds } }, { path }) =>
      ok({
        class_name: path.class,
        not_found: { ids: notFoundIds },
        items: records.map((record) => presentRecord(record)),
      }),
    errors: errorList,
    docs: recordDocs.updateRecords,
  }),
  route({
    method: 'put',
    path: '/data/:class/by_criteria',
    xml: 'records',
    document: UpdateRecordsByCriteria,
    variables: (request) => {
      const { search_criteria: criteria, limit, skip, ...changes } = request.parameters;
      return {
        className: request.path.class!,
        criteria: isObject(criteria) ? readCriteria(criteria) : undefined,
        input: readChanges(changes, request),
        ...readWindow(request.parameters),
      };
    },
    respond: ({ updateRecordsByCriteria: { skip, limit, totalFound, items } }, { path }) =>
      ok({
        class_name: path.class,
        skip,
        limit,
        total_found: totalFound,
        items: items.map((record) => presentRecord(record)),
      }),
    errors: errorList,
    docs: recordDocs.updateRecordsByCriteria,
  }),
  route({
    method: 'delete',
    path: '/data/:class/by_criteria',
    document: DeleteRecordsByCriteria,
    variables: ({ path, parameters }) => ({ className: path.class!, criteria: readCriteria(parameters) }),
    respond: ({ deleteRecordsByCriteria: { totalDeleted } }) => ok({ total_deleted: totalDeleted }),
    errors: errorList,
    docs: recordDocs.deleteRecordsByCriteria,
  }),
  route({
    method: 'post',
    path: '/data/:class',
    xml: 'record',
    document: CreateRecord,
    variables: (request) => ({
      input: { className: request.path.class!, ...readNewRecord(request.parameters, request) },
    }),
    respond: ({ createRecord }) => created(presentRecord(createRecord)),
    errors: errorList,
    docs: recordDocs.createRecord,
  }),
  route({
    method: 'delete',
    path: '/data/:class/:ids',
    several: true,
    document: DeleteRecords,
    variables: ({ path }) => ({ className: path.class!, ids: readIds(path.ids!) }),
    respond: ({ deleteRecords }) => ok(presentDeleted(deleteRecords)),
    errors: errorList,
    docs: recordDocs.deleteRecords,
  }),
  route({
    method: 'put',
    path: '/data/:class/:id',
    xml: 'record',
    document: UpdateRecord,
    variables: (request) => ({
      className: request.path.class!,
      id: request.path.id!,
      input: readChanges(request.parameters, request),
    }),
    respond: ({ updateRecord }) => ok(presentRecord(updateRecord)),
    errors: errorList,
    docs: recordDocs.updateRecord,
  }),
  route({
    method: 'delete',
    path: '/data/:class/:id',
    document: DeleteRecord,
    variables: ({ path }) => ({ className: path.class!, id: path.id! }),
    respond: empty,
    errors: errorList,
    docs: recordDocs.deleteRecord,
  }),
  route({
    method: 'post',
    path: '/data/:class/:parent/:child',
    xml: 'record',
    plainRefusal: true,
    document: CreateChildRecord,
    variables: (request) => {
      const { class: parentClassName, parent, child } = request.path;
      const { fields, permissions } = readNewRecord(request.parameters, request);
      return {
        input: {
          className: child!,
          parentClassName: parentClassName!,
          parentId: parent!,
          fields,
          permissions,
        },
      };
    },
    respond: ({ createChildRecord }) => created(presentRecord(createChildRecord)),
    errors: errorList,
    docs: recordDocs.createChildRecord,
  }),
];

/** @throws {BadInputError} empty, or a key that is not a number */
function readNumbered(record: ParameterValue | undefined): [number: number, parameters: Parameters][] {
  const entries: [string, ParameterValue][] = Array.isArray(record)
    ? record.map((parameters, index) => [String(index + 1), parameters])
    : isObject(record)
      ? Object.entries(record)
      : [];
  if (entries.length === 0) throw new BadInputError('Record data is missing');
  return entries
    .map(([key, parameters]): [number, Parameters] => {
      const number = readInteger(key);
      if (number === undefined || !isObject(parameters)) throw new BadInputError('Record data is missing');
      return [number, parameters];
    })
    .sort(([a], [b]) => a - b);
}

function named<Read>(number: number, read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UnprocessableError)) throw error;
    throw new UnprocessableError(...error.sentences.map((sentence) => `Record ${number}: ${sentence}`));
  }
}
