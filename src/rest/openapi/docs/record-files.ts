import { NotFoundError, UnprocessableError } from '../../../lib/errors.ts';
import { uploadedRecordFileShape } from '../../shapes/record.ts';
import { notAllowed, undefinedClass } from './errors.ts';
import { argumentsOf } from './from-graphql.ts';
import type { OperationDocs } from './operation-docs.ts';
import { SAMPLES } from './samples.ts';
import { described, text } from './schemas.ts';

const path = {
  class: described(text, 'Name of the class.'),
  id: described(text, 'Id of the record, 24 hex digits.'),
};
const field = (operation: string) =>
  argumentsOf(operation, { field_name: ['fieldName', described(text, 'Name of a field of type `File`.')] }, [
    'field_name',
  ]);
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
    summary: 'Upload a file to a record',
    description:
      'Stores the uploaded file in a field of the record and deletes the previous one. Requires the permission ' +
      'to update the record. The body is multipart, up to 100 MiB; `field_name` may come before or after the ' +
      'file.',
    path,
    body: field('Mutation.uploadRecordFile'),
    answer: uploadedRecordFileShape.schema,
    errors: [...errors, new UnprocessableError('File is missing')],
    examples: [{ ...place, body: { field_name: 'photo' } }],
  },
  findRecordFile: {
    tag: 'Records',
    summary: 'Download a file of a record',
    description:
      'Returns the bytes of the file, or a part of them for a request with `Range`. Requires the permission to ' +
      'read the record. The token may also be sent as the parameter `token`. Returns 404 if the field has no ' +
      'file.',
    path,
    query: field('Query.recordFile'),
    answer: 'file',
    errors,
    examples: [{ ...place, query: { field_name: 'photo' } }],
  },
  deleteRecordFile: {
    tag: 'Records',
    summary: 'Delete a file of a record',
    description: 'Deletes the file and sets the field to null. Requires the permission to update the record.',
    path,
    body: field('Mutation.deleteRecordFile'),
    answer: 'nothing',
    errors,
    examples: [{ ...place, body: { field_name: 'photo' } }],
  },
} satisfies Record<string, OperationDocs>;
