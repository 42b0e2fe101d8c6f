import { NotFoundError, UnprocessableError } from '../../../lib/errors.ts';
import { problem } from '../../../lib/problems.ts';
import { notAllowed, undefinedClass } from './errors.ts';
import { docsOf } from './operation-docs.ts';
import { SAMPLES } from './samples.ts';

const errors = [
  undefinedClass,
  notAllowed,
  new NotFoundError(),
  new UnprocessableError(problem('NOT_A_FILE_FIELD', { field: 'photo' })),
  new UnprocessableError('FIELD_NAME_MISSING'),
];
const place = { path: { class: 'Cars', id: SAMPLES.record } };

export const recordFileDocs = docsOf('Records', {
  uploadRecordFile: {
    summary: 'Upload a file to a record',
    description:
      'Stores the uploaded file in a field of the record and deletes the previous one. Requires the permission ' +
      'to update the record. The body is multipart, up to 100 MiB; `field_name` may come before or after the ' +
      'file.',
    errors: [...errors, new UnprocessableError('FILE_MISSING')],
    examples: [{ ...place, body: { field_name: 'photo' } }],
  },
  findRecordFile: {
    summary: 'Download a file of a record',
    description:
      'Returns the bytes of the file, or a part of them for a request with `Range`. Requires the permission to ' +
      'read the record. The token may also be sent as the parameter `token`. Returns 404 if the field has no ' +
      'file.',
    answer: 'file',
    errors,
    examples: [{ ...place, query: { field_name: 'photo' } }],
  },
  deleteRecordFile: {
    summary: 'Delete a file of a record',
    description: 'Deletes the file and sets the field to null. Requires the permission to update the record.',
    errors,
    examples: [{ ...place, body: { field_name: 'photo' } }],
  },
});
