import { NotFoundError, UnprocessableError } from '../../../lib/errors.ts';
import { uploadedRecordFileShape } from '../../shapes/record.ts';
import { notAllowed, undefinedClass } from './errors.ts';
import { argumentsOf } from './from-graphql.ts';
import type { OperationDocs } from './operation-docs.ts';
import { SAMPLES } from './samples.ts';
import { described, text } from './schemas.ts';

const path = { class: described(text, 'Name of the class.'), id: text };
const field = (operation: string) => argumentsOf(operation, { field_name: 'fieldName' }, ['field_name']);
const errors = [
  undefinedClass,
  notAllowed,
  new NotFoundError(),
  new UnprocessableError('Field photo is not a file field'),
  new UnprocessableError('Field name is missing'),
];
const place = { path: { class: 'Cars', id: SAMPLES.record } };

export const recordFileDocs = {
  uploadRecordFile: {
    tag: 'Records',
    summary: 'Put a file into a field',
    path,
    body: field('Mutation.uploadRecordFile'),
    answer: uploadedRecordFileShape.schema,
    errors: [...errors, new UnprocessableError('File is missing')],
    examples: [{ ...place, body: { field_name: 'photo' } }],
  },
  findRecordFile: {
    tag: 'Records',
    summary: 'The file in a field',
    path,
    query: field('Query.recordFile'),
    answer: 'file',
    errors,
    examples: [{ ...place, query: { field_name: 'photo' } }],
  },
  deleteRecordFile: {
    tag: 'Records',
    summary: 'Take the file of a field away',
    path,
    body: field('Mutation.deleteRecordFile'),
    answer: 'nothing',
    errors,
    examples: [{ ...place, body: { field_name: 'photo' } }],
  },
} satisfies Record<string, OperationDocs>;
