import {
  ForbiddenError,
  InvalidFieldsError,
  NotFoundError,
  UnprocessableError,
  UploadDeniedError,
} from '../../../lib/errors.ts';
import { newBlobProblems } from '../../../resolvers/blobs/rules.ts';
import { blobShape } from '../../shapes/blob.ts';
import { badPageSize } from './errors.ts';
import { pageOf } from './lists.ts';
import { docsOf } from './operation-docs.ts';
import { SAMPLES } from './samples.ts';

const missing = new NotFoundError();
const change = [missing, new ForbiddenError()];
const invalid = new InvalidFieldsError(newBlobProblems({ name: ' ', contentType: 'png' }));

export const blobDocs = docsOf('Content', {
  createBlob: {
    summary: 'Create a file',
    description:
      'Creates a file without bytes and returns the address to upload them to, under `blob_object_access`. To ' +
      'finish the upload, request `PUT /blobs/{id}/complete`.',
    status: 201,
    errors: [invalid],
    examples: [{ body: { blob: { name: 'note.txt', content_type: 'text/plain', public: true, tag_list: 'notes' } } }],
  },
  uploadBlob: {
    summary: 'Upload the bytes of a file',
    description:
      'Stores the bytes of a file. The signed fields authorize the upload, so a token is not needed. Send each ' +
      'item of the query of `blob_object_access.params`, decoded once, as a field of a multipart form, before ' +
      'the part `file`. The request may have up to 100 MiB. The response is XML. An expired or invalid ' +
      'signature is refused with 403.',
    status: 201,
    answer: 'xml',
    errors: [new UploadDeniedError(), new UnprocessableError('FILE_MISSING')],
    examples: [{ body: { key: SAMPLES.uid, policy: '<policy>', signature: '<signature>' } }],
  },
  completeBlob: {
    summary: 'Complete an upload',
    description:
      'Makes the uploaded bytes the content of the file, in place of previous bytes. Only the creator or an API ' +
      'key alone can do this. Returns 422 if nothing was uploaded.',
    errors: [...change, new UnprocessableError('NOT_UPLOADED')],
    examples: [{ path: { id: SAMPLES.blob }, body: { size: 5 } }],
  },
  listBlobs: {
    summary: 'List files',
    description:
      'Returns a page of the files that the caller created, newest first. An API key alone receives all files ' +
      'of the application.',
    answer: pageOf(blobShape.schema),
    errors: [badPageSize],
    examples: [{ query: { page: 1, per_page: 5 } }],
  },
  findBlob: {
    summary: 'Get a file',
    description:
      'Returns the description of a file without its bytes. If the application restricts access by id to ' +
      'owners, sessions find only public files and their own.',
    errors: [missing],
    examples: [{ path: { id: SAMPLES.blob } }],
  },
  findBlobFile: {
    operationId: 'findBlobFile',
    summary: 'Download its bytes',
    description:
      'Returns the bytes of a complete file, or a part of them for a request with `Range`. The token may also ' +
      'be sent as the parameter `token`. Addresses of GraphQL `fileAddresses` contain a `ticket` in its place.',
    answer: 'file',
    errors: [missing, new ForbiddenError('FILE_ADDRESS_EXPIRED')],
    examples: [{ path: { uid: SAMPLES.uid } }],
  },
  downloadBlobFile: {
    operationId: 'downloadBlobFile',
    summary: 'Download a file',
    description:
      'Returns the bytes of a complete file by its `uid`, or a part of them for a request with `Range`. The ' +
      'token may also be sent as the parameter `token`.',
    answer: 'file',
    errors: [missing],
    examples: [{ path: { uid: SAMPLES.uid } }],
  },
  downloadBlobFileById: {
    operationId: 'downloadBlobFileById',
    summary: 'Download by id',
    description:
      'Does the same with the `id` of the file. If the application restricts access by id to owners, sessions ' +
      'find only public files and their own.',
    answer: 'file',
    errors: [missing],
    examples: [{ path: { id: SAMPLES.blob } }],
  },
  updateBlob: {
    summary: 'Update a file',
    description:
      'Changes the given fields of a file. With `new=1`, the response has a new upload address; the current ' +
      'bytes remain until the new upload is completed. Only the creator or an API key alone can do this.',
    errors: [...change, invalid],
    examples: [{ path: { id: SAMPLES.blob }, body: { blob: { name: 'letter.txt', new: 1 } } }],
  },
  deleteBlob: {
    summary: 'Delete a file',
    description: 'Deletes a file and its bytes. Only the creator or an API key alone can do this.',
    errors: change,
    examples: [{ path: { id: SAMPLES.blob } }],
  },
});
