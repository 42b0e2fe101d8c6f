import { type ServiceError, UploadDeniedError } from '../lib/errors.ts';
import { admitUpload } from '../resolvers/blobs/access.ts';
import { MAX_NAME, MAX_TAGS, MAX_TYPE } from '../resolvers/blobs/rules.ts';
import { MAX_UPLOAD_BYTES } from '../resolvers/files/staged.ts';
import { grouped } from '../schema/descriptions.ts';
import { errorList, errorsByField } from './errors.ts';
import { graphql } from './graphql.ts';
import { XmlBody } from './http/rendering.ts';
import { route } from './http/route.ts';
import { escapeText } from './http/xml.ts';
import { blobDocs } from './openapi/docs/blobs.ts';
import { described } from './openapi/docs/schemas.ts';
import { page, presentPage } from './parameters/pages.ts';
import { flag, id, integerId, isSet, shownAs, tags, text, textOrEmpty, unchecked } from './parameters/readers.ts';
import { asInput, limited, parameters, required, tableOf, wrapped } from './parameters/table.ts';
import { blobShape } from './shapes/blob.ts';

const CreateBlob = graphql(
  `mutation CreateBlob($input: CreateBlobInput!) { createBlob(input: $input) { ...BlobFields } }`,
  [blobShape],
);

const UploadBlob = graphql(`mutation UploadBlob($input: UploadBlobInput!) {
  uploadBlob(input: $input) { uid md5 url }
}`);

const CompleteBlob = graphql(`mutation CompleteBlob($id: Int!) { completeBlob(id: $id) { id } }`);

const ListBlobs = graphql(
  `query ListBlobs($first: Int!, $skip: Int!) {
    blobs(first: $first, skip: $skip) { totalCount edges { node { ...BlobFields } } }
  }`,
  [blobShape],
);

const FindBlob = graphql(`query FindBlob($id: Int!) { blob(id: $id) { ...BlobFields } }`, [blobShape]);

const FindBlobFile = graphql(`query FindBlobFile($uid: String, $id: Int, $ticket: String) {
  blobFile(uid: $uid, id: $id, ticket: $ticket) { name contentType size content }
}`);

const UpdateBlob = graphql(
  `mutation UpdateBlob($id: Int!, $input: UpdateBlobInput!) { updateBlob(id: $id, input: $input) { ...BlobFields } }`,
  [blobShape],
);

const DeleteBlob = graphql(`mutation DeleteBlob($id: Int!) { deleteBlob(id: $id) }`);

const ID = { id: /^\d{1,10}$/ };
const BLOB_ID = 'Id of the file.';
const BLOB_UID = 'The `uid` of the file, 34 hex digits.';
const UID = { uid: /^[0-9a-f]{34}$/ };

const uid = limited(id, { pattern: '^[0-9a-f]{34}$' });

const blobParameters = {
  content_type: ['contentType', limited(text, { maxLength: MAX_TYPE }), 'Media type, such as `image/png`.'],
  name: ['name', limited(text, { maxLength: MAX_NAME }), `File name, up to ${MAX_NAME} characters.`],
  public: [
    'public',
    shownAs(unchecked, flag.schema),
    'Whether the file can be downloaded without credentials. Default 0.',
  ],
  tag_list: [
    'tags',
    tags,
    `Tags, separated by commas or as an array, up to ${grouped(MAX_TAGS)} characters in total; replaces all tags.`,
  ],
} as const;

const uploadFields = parameters('UploadBlobInput', {
  key: ['key', required(textOrEmpty), 'The `uid` of the file.'],
  policy: ['policy', required(textOrEmpty)],
  signature: ['signature', required(textOrEmpty), 'Signature of the policy.'],
  acl: ['acl', text, '`public-read` or `authenticated-read`.'],
  'Content-Type': ['contentType', text, 'Media type of the file.'],
  Expires: ['expires', text, 'Time at which the policy expires.'],
  success_action_status: ['successActionStatus', text, 'Always `201`.'],
});

export const blobRoutes = [
  route({
    method: 'post',
    path: '/blobs',
    document: CreateBlob,
    parameters: asInput(
      wrapped(
        'blob',
        parameters('CreateBlobInput', {
          ...blobParameters,
          name: ['name', required(blobParameters.name[1]), blobParameters.name[2]],
          content_type: ['contentType', required(blobParameters.content_type[1]), blobParameters.content_type[2]],
        }),
        'The file.',
      ),
    ),
    shape: blobShape,
    errors: errorsByField,
    docs: blobDocs.createBlob,
  }),
  route({
    method: 'post',
    path: '/uploads',
    upload: {
      maxBytes: MAX_UPLOAD_BYTES,
      admit: (before, context) =>
        admitUpload(uploadFields.read(before, { parameters: before, header: () => undefined }), context),
    },
    checksTypes: true,
    document: UploadBlob,
    parameters: asInput(uploadFields),
    present: ({ uploadBlob }) => presentUpload(uploadBlob),
    errors: uploadErrors,
    docs: blobDocs.uploadBlob,
  }),
  route({
    method: 'put',
    path: '/blobs/:id/complete',
    document: CompleteBlob,
    inPath: { id: ['id', integerId, BLOB_ID] },
    parameters: tableOf(
      {
        size: described(
          { type: 'integer' },
          'Accepted for compatibility; the stored size is that of the uploaded bytes.',
        ),
      },
      () => ({}),
    ),
    errors: errorsByField,
    docs: blobDocs.completeBlob,
  }),
  route({
    method: 'get',
    path: '/blobs',
    xml: 'blobs',
    document: ListBlobs,
    parameters: page,
    present: ({ blobs }, { parameters }) => presentPage(blobs, parameters, blobShape.present),
    errors: errorsByField,
    docs: blobDocs.listBlobs,
  }),
  route({
    method: 'get',
    path: '/blobs/:id',
    only: ID,
    document: FindBlob,
    inPath: { id: ['id', integerId, BLOB_ID] },
    shape: blobShape,
    errors: errorsByField,
    docs: blobDocs.findBlob,
  }),
  route({
    method: 'get',
    path: '/blobs/:uid',
    only: UID,
    download: true,
    document: FindBlobFile,
    inPath: { uid: ['uid', uid, BLOB_UID] },
    variables: ({ inPath, parameters: { ticket } }) => ({
      ...inPath,
      // Malformed parameters of a download are ignored.
      ticket: typeof ticket === 'string' ? ticket : undefined,
    }),
    respond: ({ blobFile }) => ({ file: blobFile }),
    errors: errorsByField,
    docs: blobDocs.findBlobFile,
  }),
  route({
    method: 'get',
    path: '/blobs/:uid/download',
    only: UID,
    download: true,
    document: FindBlobFile,
    inPath: { uid: ['uid', uid, BLOB_UID] },
    respond: ({ blobFile }) => ({ file: blobFile }),
    errors: errorsByField,
    docs: blobDocs.downloadBlobFile,
  }),
  route({
    method: 'get',
    path: '/blobs/:id/download',
    only: ID,
    download: true,
    document: FindBlobFile,
    inPath: { id: ['id', integerId, BLOB_ID] },
    respond: ({ blobFile }) => ({ file: blobFile }),
    errors: errorsByField,
    docs: blobDocs.downloadBlobFileById,
  }),
  route({
    method: 'put',
    path: '/blobs/:id',
    document: UpdateBlob,
    inPath: { id: ['id', integerId, BLOB_ID] },
    parameters: asInput(
      wrapped(
        'blob',
        parameters('UpdateBlobInput', {
          ...blobParameters,
          new: ['new', isSet, '1 returns a new upload address to replace the bytes. Default 0.'],
        }),
        'The fields to change.',
      ),
    ),
    shape: blobShape,
    errors: errorsByField,
    docs: blobDocs.updateBlob,
  }),
  route({
    method: 'delete',
    path: '/blobs/:id',
    document: DeleteBlob,
    inPath: { id: ['id', integerId, BLOB_ID] },
    errors: errorsByField,
    docs: blobDocs.deleteBlob,
  }),
];

/** Clients treat `/uploads` as an object store. */
function presentUpload({ uid, md5, url }: { uid: string; md5: string; url: string }): XmlBody {
  const location = `<Location>${escapeText(url)}</Location>`;
  return new XmlBody(
    `<PostResponse>${location}<Bucket>uploads</Bucket><Key>${uid}</Key><ETag>"${md5}"</ETag></PostResponse>`,
  );
}

function uploadErrors(error: ServiceError): unknown {
  if (!(error instanceof UploadDeniedError)) return errorList(error);
  return new XmlBody(`<Error><Code>AccessDenied</Code><Message>${error.message}</Message></Error>`);
}
