import { isObject, type Parameters, type ParameterValue } from '../lib/bracket-keys.ts';
import { type ServiceError, UploadDeniedError } from '../lib/errors.ts';
import { readFlag, readList, readText } from '../lib/parameter-values.ts';
import { admitUpload } from '../resolvers/content/access.ts';
import { errorList, errorsByField } from './errors.ts';
import { graphql } from './graphql.ts';
import { readIntegerId } from './http/integer-ids.ts';
import { pageWindow, presentPage } from './http/pagination.ts';
import { XmlBody } from './http/rendering.ts';
import { created, download, empty, MAX_UPLOAD_BYTES, ok, route } from './http/route.ts';
import { escapeText } from './http/xml.ts';
import { contentDocs } from './openapi/docs/content.ts';
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
const UID = { uid: /^[0-9a-f]{34}$/ };

export const contentRoutes = [
  route({
    method: 'post',
    path: '/blobs',
    document: CreateBlob,
    variables: ({ parameters }) => ({ input: blobInput(parameters) }),
    respond: ({ createBlob }) => created(blobShape.present(createBlob)),
    errors: errorsByField,
    docs: contentDocs.createBlob,
  }),
  route({
    method: 'post',
    path: '/uploads',
    upload: {
      maxBytes: MAX_UPLOAD_BYTES,
      admit: (before, context) => admitUpload(uploadFields(before), context),
    },
    refusesWrongTypes: true,
    document: UploadBlob,
    variables: ({ parameters }) => ({ input: uploadFields(parameters) }),
    respond: ({ uploadBlob }) => created(presentUpload(uploadBlob)),
    errors: uploadErrors,
    docs: contentDocs.uploadBlob,
  }),
  route({
    method: 'put',
    path: '/blobs/:id/complete',
    document: CompleteBlob,
    variables: ({ path }) => ({ id: readIntegerId(path.id!) }),
    respond: empty,
    errors: errorsByField,
    docs: contentDocs.completeBlob,
  }),
  route({
    method: 'get',
    path: '/blobs',
    xml: 'blobs',
    document: ListBlobs,
    variables: ({ parameters }) => pageWindow(parameters),
    respond: ({ blobs }, { parameters }) => ok(presentPage(blobs, parameters, blobShape.present)),
    errors: errorsByField,
    docs: contentDocs.listBlobs,
  }),
  route({
    method: 'get',
    path: '/blobs/:id',
    only: ID,
    document: FindBlob,
    variables: ({ path }) => ({ id: readIntegerId(path.id!) }),
    respond: ({ blob }) => ok(blobShape.present(blob)),
    errors: errorsByField,
    docs: contentDocs.findBlob,
  }),
  route({
    method: 'get',
    path: '/blobs/:uid',
    only: UID,
    download: true,
    document: FindBlobFile,
    variables: ({ path, parameters }) => ({ uid: path.uid!, ticket: readTicket(parameters.ticket) }),
    respond: ({ blobFile }) => download(blobFile),
    errors: errorsByField,
    docs: contentDocs.findBlobFile,
  }),
  route({
    method: 'get',
    path: '/blobs/:uid/download',
    only: UID,
    download: true,
    document: FindBlobFile,
    variables: ({ path }) => ({ uid: path.uid! }),
    respond: ({ blobFile }) => download(blobFile),
    errors: errorsByField,
    docs: contentDocs.downloadBlobFile,
  }),
  route({
    method: 'get',
    path: '/blobs/:id/download',
    only: ID,
    download: true,
    document: FindBlobFile,
    variables: ({ path }) => ({ id: readIntegerId(path.id!) }),
    respond: ({ blobFile }) => download(blobFile),
    errors: errorsByField,
    docs: contentDocs.downloadBlobFileById,
  }),
  route({
    method: 'put',
    path: '/blobs/:id',
    document: UpdateBlob,
    variables: ({ path, parameters }) => ({
      id: readIntegerId(path.id!),
      input: { ...blobInput(parameters), new: isNew(parameters) },
    }),
    respond: ({ updateBlob }) => ok(blobShape.present(updateBlob)),
    errors: errorsByField,
    docs: contentDocs.updateBlob,
  }),
  route({
    method: 'delete',
    path: '/blobs/:id',
    document: DeleteBlob,
    variables: ({ path }) => ({ id: readIntegerId(path.id!) }),
    respond: empty,
    errors: errorsByField,
    docs: contentDocs.deleteBlob,
  }),
];

function blobInput({ blob }: Parameters) {
  const parameters: Parameters = isObject(blob) ? blob : {};
  return {
    contentType: readText(parameters.content_type),
    name: readText(parameters.name),
    public: parameters.public,
    tags:
      parameters.tag_list === undefined
        ? undefined
        : readList(parameters.tag_list).flatMap((tag) => readText(tag) ?? []),
  };
}

function isNew({ blob }: Parameters): boolean {
  return isObject(blob) && readFlag(blob.new) === true;
}

function uploadFields(parameters: Parameters) {
  return {
    key: readText(parameters.key) ?? '',
    policy: readText(parameters.policy) ?? '',
    signature: readText(parameters.signature) ?? '',
    acl: readText(parameters.acl),
    contentType: readText(parameters['Content-Type']),
    expires: readText(parameters.Expires),
    successActionStatus: readText(parameters.success_action_status),
  };
}

/** Clients treat `/uploads` as an object store. */
/** Malformed parameters of a download are ignored. */
function readTicket(value: ParameterValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

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
