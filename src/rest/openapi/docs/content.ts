import {
  ForbiddenError,
  InvalidFieldsError,
  NotFoundError,
  UnprocessableError,
  UploadDeniedError,
} from '../../../lib/errors.ts';
import { MAX_NAME, MAX_TYPE, newBlobProblems } from '../../../resolvers/content/rules.ts';
import { blobShape } from '../../shapes/blob.ts';
import { inputOf, type Renaming } from './from-graphql.ts';
import { pageOf, pageParameters } from './lists.ts';
import type { OperationDocs } from './operation-docs.ts';
import { SAMPLES } from './samples.ts';
import { described, integerId, requestObject, text } from './schemas.ts';

const parameters: Record<string, Renaming> = {
  content_type: ['contentType', { ...text, maxLength: MAX_TYPE }],
  name: ['name', { ...text, maxLength: MAX_NAME }],
  public: 'public',
  tag_list: ['tags', { type: ['string', 'array'], items: text }],
};
const path = { id: integerId };
const uidPath = { uid: { type: 'string', pattern: '^[0-9a-f]{34}$' } };
const missing = new NotFoundError();
const change = [missing, new ForbiddenError()];
const invalid = new InvalidFieldsError(newBlobProblems({ name: ' ', contentType: 'png' }));

export const contentDocs = {
  createBlob: {
    tag: 'Content',
    summary: 'Create a file',
    body: requestObject({ blob: inputOf('CreateBlobInput', parameters, ['name', 'content_type']) }, ['blob']),
    status: 201,
    answer: blobShape.schema,
    errors: [invalid],
    examples: [{ body: { blob: { name: 'note.txt', content_type: 'text/plain', public: true, tag_list: 'notes' } } }],
  },
  uploadBlob: {
    tag: 'Content',
    summary: 'Upload the bytes of a file',
    description: 'The fields are those of the query of `blob_object_access.params`, each decoded once.',
    body: inputOf(
      'UploadBlobInput',
      {
        key: 'key',
        policy: 'policy',
        signature: 'signature',
        acl: 'acl',
        'Content-Type': 'contentType',
        Expires: 'expires',
        success_action_status: 'successActionStatus',
      },
      ['key', 'policy', 'signature'],
    ),
    status: 201,
    answer: 'xml',
    errors: [new UploadDeniedError(), new UnprocessableError('File is missing')],
    examples: [{ body: { key: SAMPLES.uid, policy: 'as told', signature: 'as told' } }],
  },
  completeBlob: {
    tag: 'Content',
    summary: 'Make what was uploaded the bytes of the file',
    path,
    body: requestObject({ size: described({ type: 'integer' }, 'Accepted, and not trusted.') }),
    answer: 'nothing',
    errors: [...change, new UnprocessableError('File was not uploaded')],
    examples: [{ path: { id: SAMPLES.blob }, body: { size: 5 } }],
  },
  listBlobs: {
    tag: 'Content',
    summary: 'Files of the caller',
    query: pageParameters,
    answer: pageOf(blobShape.schema),
    errors: [new UnprocessableError('per_page should be between 1 and 100')],
    examples: [{ query: { page: 1, per_page: 5 } }],
  },
  findBlob: {
    tag: 'Content',
    summary: 'A file, without its bytes',
    path,
    answer: blobShape.schema,
    errors: [missing],
    examples: [{ path: { id: SAMPLES.blob } }],
  },
  findBlobFile: {
    tag: 'Content',
    operationId: 'findBlobFile',
    summary: 'The bytes of a file',
    path: uidPath,
    answer: 'file',
    errors: [missing],
    examples: [{ path: { uid: SAMPLES.uid } }],
  },
  downloadBlobFile: {
    tag: 'Content',
    operationId: 'downloadBlobFile',
    summary: 'The bytes of a file',
    path: uidPath,
    answer: 'file',
    errors: [missing],
    examples: [{ path: { uid: SAMPLES.uid } }],
  },
  downloadBlobFileById: {
    tag: 'Content',
    operationId: 'downloadBlobFileById',
    summary: 'The bytes of a file, by its id',
    path,
    answer: 'file',
    errors: [missing],
    examples: [{ path: { id: SAMPLES.blob } }],
  },
  updateBlob: {
    tag: 'Content',
    summary: 'Change a file',
    path,
    body: requestObject({ blob: inputOf('UpdateBlobInput', { ...parameters, new: 'new' }) }, ['blob']),
    answer: blobShape.schema,
    errors: [...change, invalid],
    examples: [{ path: { id: SAMPLES.blob }, body: { blob: { name: 'letter.txt', new: 1 } } }],
  },
  deleteBlob: {
    tag: 'Content',
    summary: 'Delete a file',
    path,
    answer: 'nothing',
    errors: change,
    examples: [{ path: { id: SAMPLES.blob } }],
  },
} satisfies Record<string, OperationDocs>;
