import { BadInputError, NotFoundError, UnprocessableError } from '../../../lib/errors.ts';
import { inRecord, problem } from '../../../lib/problems.ts';
import { MAX_RECORDS } from '../../../resolvers/records/create.ts';
import { deleted } from './deletions.ts';
import { notAllowed, tooManyIds, undefinedClass } from './errors.ts';
import { windowMembers } from './lists.ts';
import { docsOf } from './operation-docs.ts';
import { changed, listed, record } from './record-bodies.ts';
import { recordLists } from './record-lists.ts';
import { permissionsShown } from './record-permissions.ts';
import { SAMPLES } from './samples.ts';
import { closed, described, integer, listOf, stringId, text } from './schemas.ts';

const className = described(text, 'Name of the class.');
const badValue = [
  new UnprocessableError(problem('FIELD_WRONG_TYPE', { field: 'year', wanted: 'an integer' })),
  new UnprocessableError(problem('ACCESS_UNKNOWN', { access: 'public' })),
];
const classErrors = [undefinedClass, notAllowed];
const recordErrors = [...classErrors, new NotFoundError()];
const lists = recordLists(listed);
const noRecords = [
  new BadInputError('RECORDS_MISSING'),
  new BadInputError(problem('TOO_MANY_RECORDS', { max: MAX_RECORDS })),
];
const found = described(closed({ ids: listOf(text) }), 'Ids that do not exist, or that the caller may not access.');

export const recordDocs = docsOf('Records', {
  createRecords: {
    summary: 'Create several records',
    description:
      'Creates up to 100 records of a class. Either all records are created or none. An error names the number ' +
      'of the invalid record.',
    status: 201,
    answer: closed({ class_name: className, items: listOf(record) }),
    errors: [
      ...classErrors,
      ...noRecords,
      new UnprocessableError(inRecord(2, problem('FIELD_WRONG_TYPE', { field: 'year', wanted: 'an integer' }))),
    ],
    examples: [{ path: { class: 'Cars' }, body: { record: { 1: { make: 'BMW', year: 2019 }, 2: { make: 'Audi' } } } }],
  },
  updateRecords: {
    summary: 'Update several records',
    description:
      'Changes up to 100 records of a class. Ids that do not exist, or that the caller may not update, are ' +
      'listed under `not_found`. Invalid input is answered with 400 and the body `{}`, and no record changes.',
    answer: closed({ class_name: className, not_found: found, items: listOf(changed) }),
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
    summary: 'Update records by criteria',
    description:
      'Changes every record that matches the criteria and that the caller may read and update. Returns one page ' +
      'of them and their total number.',
    answer: closed({
      class_name: className,
      ...windowMembers,
      total_found: described(integer, 'Number of changed records.'),
      items: described(listOf(record), 'One page of the changed records.'),
    }),
    errors: [
      ...classErrors,
      ...badValue,
      new UnprocessableError('CRITERIA_REQUIRED'),
      new UnprocessableError(problem('FILTER_INCORRECT', { filter: 'year[like]' })),
    ],
    examples: [
      { path: { class: 'Cars' }, body: { search_criteria: { make: 'BMW', year: { gt: 2000 } }, inc: { year: 1 } } },
    ],
  },
  deleteRecordsByCriteria: {
    summary: 'Delete records by criteria',
    description:
      'Deletes every record that matches the criteria and that the caller may read and delete, with all records ' +
      'below them. At least one criterion is required, and unknown names are refused.',
    answer: closed({ total_deleted: described(integer, 'Number of records that matched and were deleted.') }),
    errors: [...classErrors, new UnprocessableError(problem('FILTER_INCORRECT', { filter: 'year[like]' }))],
    examples: [{ path: { class: 'Cars' }, body: { year: { lt: 1990 } } }],
  },
  createRecord: {
    summary: 'Create a record',
    description:
      'Creates a record owned by the caller. Names that are not fields of the class are ignored. Without ' +
      '`permissions`, the record has those of its class. The fields may have up to 256 KiB as JSON.',
    status: 201,
    answer: record,
    errors: [...classErrors, ...badValue, new UnprocessableError('PARENT_NOT_FOUND')],
    examples: [
      {
        path: { class: 'Cars' },
        body: { make: 'BMW', year: 2019, tags: ['red'], permissions: { read: { access: 'open' } } },
      },
    ],
  },
  listRecords: {
    operationId: 'listRecords',
    summary: 'List records',
    description:
      'Returns the records of a class that the caller may read, in ascending order of `_id` by default. With ' +
      '`count=1`, only their number is returned; with `group_by`, a calculation per value of a field. ' +
      '`limit=-1` returns only the last record of the order.',
    answer: lists.answer,
    errors: [...classErrors, ...lists.errors],
    examples: [
      {
        summary: 'Newest records',
        path: { class: 'Cars' },
        query: { year: { gt: 2000 }, sort_desc: 'created_at', limit: 10, permissions: 1 },
      },
      { summary: 'Only the number', path: { class: 'Cars' }, query: { count: 1 } },
      {
        summary: 'Average year per make',
        path: { class: 'Cars' },
        query: { group_by: 'make', year: { calc: 'avg' } },
      },
    ],
  },
  findRecords: {
    operationId: 'findRecords',
    summary: 'Get several records',
    description:
      'Returns up to 100 records in the order of the given ids. Ids that do not exist, or that the caller may ' +
      'not read, are listed under `not_found`.',
    answer: closed({ class_name: className, items: listOf(listed), not_found: found }),
    errors: [...classErrors, tooManyIds],
    examples: [{ path: { class: 'Cars', ids: `${SAMPLES.record},${SAMPLES.otherRecord}` } }],
  },
  findRecord: {
    summary: 'Get a record',
    description:
      'Returns one record with its permissions. With `permissions=1`, only the permissions are returned, and ' +
      'only to the owner and to API keys alone.',
    answer: {
      anyOf: [record, closed({ permissions: permissionsShown, record_id: described(stringId, 'Id of the record.') })],
    },
    errors: recordErrors,
    examples: [
      { path: { class: 'Cars', id: SAMPLES.record } },
      {
        summary: 'Only the permissions',
        path: { class: 'Cars', id: SAMPLES.record },
        query: { permissions: 1 },
      },
    ],
  },
  updateRecord: {
    summary: 'Update a record',
    description:
      'Changes the given fields of a record, applies operators such as `inc` and `push`, and replaces the given ' +
      'permissions. Names that are not fields of the class are ignored. A caller who may update but not read ' +
      'the record receives only its id and times. The fields may have up to 256 KiB as JSON.',
    answer: changed,
    errors: [
      ...recordErrors,
      ...badValue,
      new UnprocessableError(problem('OPERATOR_NOT_ALLOWED', { operator: 'inc', field: 'make' })),
    ],
    examples: [
      {
        path: { class: 'Cars', id: SAMPLES.record },
        body: { make: 'Audi', inc: { year: 1 }, push: { tags: ['fast'] } },
      },
    ],
  },
  deleteRecords: {
    summary: 'Delete several records',
    description:
      'Deletes up to 100 records with all records below them. Records that the caller may not delete are listed ' +
      'under `WrongPermissions` and remain. The response is 200 even if none of the ids exists.',
    answer: deleted,
    errors: [...classErrors, tooManyIds],
    examples: [{ path: { class: 'Cars', ids: `${SAMPLES.record},${SAMPLES.otherRecord}` } }],
  },
  deleteRecord: {
    summary: 'Delete a record',
    description: 'Deletes a record and all records below it, including those of other owners.',
    errors: recordErrors,
    examples: [{ path: { class: 'Cars', id: SAMPLES.record } }],
  },
  createChildRecord: {
    summary: 'Create a child record',
    description:
      'Creates a record below a parent record. Returns 404 if the class has no such parent. Invalid input is ' +
      'answered with 400 and the body `{}`.',
    status: 201,
    answer: record,
    errors: [...recordErrors, ...badValue],
    examples: [{ path: { class: 'Cars', parent: SAMPLES.record, child: 'Trips' }, body: { goal: 'Rome' } }],
  },
  listChildRecords: {
    operationId: 'listChildRecords',
    summary: 'List child records',
    description:
      'Returns the records of the child class below a parent record, with the parameters of `GET ' +
      '/data/{class}`. Returns 404 if the parent does not exist.',
    answer: lists.answer,
    errors: [...recordErrors, ...lists.errors],
    examples: [{ path: { class: 'Cars', parent: SAMPLES.record, child: 'Trips' }, query: { limit: 10 } }],
  },
});
