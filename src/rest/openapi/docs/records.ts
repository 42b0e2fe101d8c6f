import { BadInputError, NotFoundError, UnprocessableError } from '../../../lib/errors.ts';
import { MAX_RECORDS } from '../../../resolvers/records/create.ts';
import { recordShape } from '../../shapes/record.ts';
import { deleted } from './deletions.ts';
import { notAllowed, undefinedClass } from './errors.ts';
import { argumentsOf, inputOf } from './from-graphql.ts';
import type { OperationDocs } from './operation-docs.ts';
import { recordLists } from './record-lists.ts';
import { permissionsAsked, permissionsShown } from './record-permissions.ts';
import { SAMPLES } from './samples.ts';
import {
  anything,
  closed,
  described,
  integer,
  listOf,
  mapOf,
  named,
  type ObjectSchema,
  requestObject,
  stringId,
  text,
  together,
} from './schemas.ts';

const record = recordShape.schema;

const VALUES = described(anything, 'Fields of the class.');

/** A changed record: the id and the times alone are shown to a caller who may not read it. */
const changed: ObjectSchema = named('ChangedRecord', {
  ...record,
  required: ['_id', 'created_at', 'updated_at'],
});

/** As lists show it: with permissions, and without other members, only if asked for. */
const { required: _required, ...members } = record;
const listed: ObjectSchema = named('ListedRecord', members);

const permissions = permissionsAsked(['read', 'update', 'delete']);
const created: ObjectSchema = named('NewRecord', {
  ...inputOf('CreateRecordInput', { _parent_id: 'parentId', permissions }),
  additionalProperties: VALUES,
});
const changes: ObjectSchema = {
  ...inputOf('UpdateRecordInput', {
    inc: ['inc', mapOf(anything)],
    push: ['push', mapOf(anything)],
    add_to_set: ['addToSet', mapOf(anything)],
    pull: ['pull', mapOf(anything)],
    pull_all: ['pullAll', mapOf(anything)],
    pop: ['pop', mapOf(anything)],
    permissions,
  }),
  additionalProperties: VALUES,
};

const className = described(text, 'Name of the class.');
const path = { class: className, id: text };
const severalPath = { class: className, ids: text };
const childPath = { class: className, parent: text, child: described(text, 'Name of the class of the children.') };
const badValue = [
  new UnprocessableError('Field year should be an integer'),
  new UnprocessableError('Unknown access: everybody'),
];
const classErrors = [undefinedClass, notAllowed];
const recordErrors = [...classErrors, new NotFoundError()];
const lists = recordLists(listed);
const severalRecords = (schema: ObjectSchema) => ({
  record: { ...mapOf(schema), description: `By number, in whose order they are taken; up to ${MAX_RECORDS}.` },
});
const noRecords = [
  new BadInputError('Record data is missing'),
  new BadInputError(`A request may hold at most ${MAX_RECORDS} records`),
];
const page = { class_name: text, skip: integer, limit: integer };
const found = closed({ ids: listOf(text) });

export const recordDocs = {
  createRecords: {
    tag: 'Records',
    summary: 'Create several records',
    path: { class: className },
    body: requestObject(severalRecords(created), ['record']),
    status: 201,
    answer: closed({ class_name: text, items: listOf(record) }),
    errors: [...classErrors, ...noRecords, new UnprocessableError('Record 2: Field year should be an integer')],
    examples: [{ path: { class: 'Cars' }, body: { record: { 1: { make: 'BMW', year: 2019 }, 2: { make: 'Audi' } } } }],
  },
  updateRecords: {
    tag: 'Records',
    summary: 'Change several records',
    path: { class: className },
    body: requestObject(severalRecords(together(changes, requestObject({ id: text }, ['id']))), ['record']),
    answer: closed({ class_name: text, not_found: found, items: listOf(changed) }),
    errors: [...classErrors, ...noRecords, ...badValue],
    examples: [
      {
        path: { class: 'Cars' },
        body: {
          record: { 1: { id: SAMPLES.record, make: 'BMW' }, 2: { id: SAMPLES.otherRecord, inc: { year: 1 } } },
        },
      },
    ],
  },
  updateRecordsByCriteria: {
    tag: 'Records',
    summary: 'Change all records that match',
    path: { class: className },
    body: together(
      argumentsOf('Mutation.updateRecordsByCriteria', { search_criteria: ['criteria', mapOf(anything)] }, [
        'search_criteria',
      ]),
      lists.window,
      changes,
    ),
    answer: closed({ ...page, total_found: integer, items: listOf(record) }),
    errors: [
      ...classErrors,
      ...badValue,
      new UnprocessableError('criteria is required'),
      new UnprocessableError('Incorrect filter: year[like]'),
    ],
    examples: [
      { path: { class: 'Cars' }, body: { search_criteria: { make: 'BMW', year: { gt: 2000 } }, inc: { year: 1 } } },
    ],
  },
  deleteRecordsByCriteria: {
    tag: 'Records',
    summary: 'Delete all records that match',
    path: { class: className },
    body: lists.filters,
    answer: closed({ total_deleted: integer }),
    errors: [...classErrors, new UnprocessableError('Incorrect filter: year[like]')],
    examples: [{ path: { class: 'Cars' }, body: { year: { lt: 1990 } } }],
  },
  createRecord: {
    tag: 'Records',
    summary: 'Create a record',
    path: { class: className },
    body: created,
    status: 201,
    answer: record,
    errors: [...classErrors, ...badValue, new UnprocessableError('Parent record was not found')],
    examples: [
      {
        path: { class: 'Cars' },
        body: { make: 'BMW', year: 2019, tags: ['red'], permissions: { read: { access: 'open' } } },
      },
    ],
  },
  listRecords: {
    tag: 'Records',
    operationId: 'listRecords',
    summary: 'Records of a class',
    path: { class: className },
    query: lists.parameters,
    answer: lists.answer,
    errors: [...classErrors, ...lists.errors],
    examples: [
      {
        summary: 'The newest',
        path: { class: 'Cars' },
        query: { year: { gt: 2000 }, sort_desc: 'created_at', limit: 10, permissions: 1 },
      },
      { summary: 'How many', path: { class: 'Cars' }, query: { count: 1 } },
      {
        summary: 'The mean of each make',
        path: { class: 'Cars' },
        query: { group_by: 'make', year: { calc: 'avg' } },
      },
    ],
  },
  findRecords: {
    tag: 'Records',
    operationId: 'findRecords',
    summary: 'Several records',
    path: severalPath,
    query: lists.output,
    answer: closed({ class_name: text, items: listOf(listed), not_found: found }),
    errors: [...classErrors, new UnprocessableError('A request may name at most 100 ids')],
    examples: [{ path: { class: 'Cars', ids: `${SAMPLES.record},${SAMPLES.otherRecord}` } }],
  },
  findRecord: {
    tag: 'Records',
    summary: 'A record',
    path,
    query: lists.permissions,
    answer: { anyOf: [record, closed({ permissions: permissionsShown, record_id: stringId })] },
    errors: recordErrors,
    examples: [
      { path: { class: 'Cars', id: SAMPLES.record } },
      {
        summary: 'Only who may do what',
        path: { class: 'Cars', id: SAMPLES.record },
        query: { permissions: 1 },
      },
    ],
  },
  updateRecord: {
    tag: 'Records',
    summary: 'Change a record',
    path,
    body: changes,
    answer: changed,
    errors: [...recordErrors, ...badValue, new UnprocessableError("Operator inc can't be used with field make")],
    examples: [
      {
        path: { class: 'Cars', id: SAMPLES.record },
        body: { make: 'Audi', inc: { year: 1 }, push: { tags: ['fast'] } },
      },
    ],
  },
  deleteRecords: {
    tag: 'Records',
    summary: 'Delete several records',
    path: severalPath,
    answer: deleted,
    errors: [...classErrors, new UnprocessableError('A request may name at most 100 ids')],
    examples: [{ path: { class: 'Cars', ids: `${SAMPLES.record},${SAMPLES.otherRecord}` } }],
  },
  deleteRecord: {
    tag: 'Records',
    summary: 'Delete a record',
    path,
    answer: 'nothing',
    errors: recordErrors,
    examples: [{ path: { class: 'Cars', id: SAMPLES.record } }],
  },
  createChildRecord: {
    tag: 'Records',
    summary: 'Create a record below another',
    path: childPath,
    body: created,
    status: 201,
    answer: record,
    errors: [...recordErrors, ...badValue],
    examples: [{ path: { class: 'Cars', parent: SAMPLES.record, child: 'Trips' }, body: { goal: 'Rome' } }],
  },
  listChildRecords: {
    tag: 'Records',
    operationId: 'listChildRecords',
    summary: 'Records below another',
    path: childPath,
    query: lists.parameters,
    answer: lists.answer,
    errors: [...recordErrors, ...lists.errors],
    examples: [{ path: { class: 'Cars', parent: SAMPLES.record, child: 'Trips' }, query: { limit: 10 } }],
  },
} satisfies Record<string, OperationDocs>;
