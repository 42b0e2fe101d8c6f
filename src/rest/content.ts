import { isObject, type Parameters } from '../lib/bracket-keys.ts';
import { type ServiceError, UploadDeniedError } from '../lib/errors.ts';
import { readFlag, readList, readText } from '../lib/parameter-values.ts';
import { isoSeconds } from '../lib/time.ts';
import { admitUpload } from '../resolvers/content/access.ts';
import { errorList, errorsByField } from './errors.ts';
import { type FragmentOf, graphql, readFragment } from './graphql.ts';
import { readIntegerId } from './http/integer-ids.ts';
import { itemsBefore, readPage } from './http/pagination.ts';
import { XmlBody } from './http/rendering.ts';
import { created, download, empty, MAX_UPLOAD_BYTES, ok, route } from './http/route.ts';
import { escapeText } from './http/xml.ts';
import { contentDocs } from './openapi/docs/content.ts';

const BlobFields = graphql(`fragment BlobFields on Blob {
  id uid contentType name size createdAt updatedAt blobStatus setCompletedAt public tags
  blobObjectAccess { id blobId expires objectAccessType params }
}`);

const CreateBlob = graphql(
  `mutation CreateBlob($input: CreateBlobInput!) { createBlob(input: $input) { ...BlobFields } }`,
  [BlobFields],
);

const UploadBlob = graphql(`mutation UploadBlob($input: UploadBlobInput!) {
  uploadBlob(input: $input) { uid md5 url }
}`);

const CompleteBlob = graphql(`mutation CompleteBlob($id: Int!) { completeBlob(id: $id) { id } }`);

const ListBlobs = graphql(
  `query ListBlobs($first: Int!, $skip: Int!) {
    blobs(first: $first, skip: $skip) { totalCount edges { node { ...BlobFields } } }
  }`,
  [BlobFields],
);

const FindBlob = graphql(`query FindBlob($id: Int!) { blob(id: $id) { ...BlobFields } }`, [BlobFields]);

const FindBlobFile = graphql(`query FindBlobFile($uid: String, $id: Int) {
  blobFile(uid: $uid, id: $id) { name contentType size content }
}`);

const UpdateBlob = graphql(
  `mutation UpdateBlob($id: Int!, $input: UpdateBlobInput!) { updateBlob(id: $id, input: $input) { ...BlobFields } }`,
  [BlobFields],
);

const DeleteBlob = graphql(`mutation DeleteBlob($id: Int!) { deleteBlob(id: $id) }`);

const ID = { id: /^\d{1,10}$/ };
const UID = { uid: /^[0-9a-f]{34}$/ };

/** What a GET of anything but an id or a uid finds is nothing (gaps §13.2). */
export const contentRoutes = [
  route({
    method: 'post',
    path: '/blobs',
    document: CreateBlob,
    variables: ({ given }) => ({ input: blobInput(given) }),
    respond: ({ createBlob }) => created(presentBlob(createBlob)),
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
    variables: ({ given }) => ({ input: uploadFields(given) }),
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
    variables: ({ given }) => window(given),
    respond: ({ blobs }, { given }) => ok(presentPage(blobs, given)),
    errors: errorsByField,
    docs: contentDocs.listBlobs,
  }),
  route({
    method: 'get',
    path: '/blobs/:id',
    only: ID,
    document: FindBlob,
    variables: ({ path }) => ({ id: readIntegerId(path.id!) }),
    respond: ({ blob }) => ok(presentBlob(blob)),
    errors: errorsByField,
    docs: contentDocs.findBlob,
  }),
  route({
    method: 'get',
    path: '/blobs/:uid',
    only: UID,
    download: true,
    document: FindBlobFile,
    variables: ({ path }) => ({ uid: path.uid! }),
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
    variables: ({ path, given }) => ({
      id: readIntegerId(path.id!),
      input: { ...blobInput(given), new: isNew(given) },
    }),
    respond: ({ updateBlob }) => ok(presentBlob(updateBlob)),
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

/** What is given under `blob`; what is not there is undefined. */
function blobInput({ blob }: Parameters) {
  const given: Parameters = isObject(blob) ? blob : {};
  return {
    contentType: readText(given.content_type),
    name: readText(given.name),
    public: given.public,
    tags: given.tag_list === undefined ? undefined : readList(given.tag_list).flatMap((tag) => readText(tag) ?? []),
  };
}

function isNew({ blob }: Parameters): boolean {
  return isObject(blob) && readFlag(blob.new) === true;
}

function uploadFields(given: Parameters) {
  return {
    key: readText(given.key) ?? '',
    policy: readText(given.policy) ?? '',
    signature: readText(given.signature) ?? '',
    acl: readText(given.acl),
    contentType: readText(given['Content-Type']),
    expires: readText(given.Expires),
    successActionStatus: readText(given.success_action_status),
  };
}

function window(given: Parameters) {
  const page = readPage(given);
  return { first: page.perPage, skip: itemsBefore(page) };
}

interface BlobsFound {
  totalCount: number;
  edges: ({ node: FragmentOf<typeof BlobFields> } | null)[] | null;
}

function presentPage({ totalCount, edges }: BlobsFound, given: Parameters) {
  const { page, perPage } = readPage(given);
  return {
    current_page: page,
    per_page: perPage,
    total_entries: totalCount,
    items: edges?.flatMap((edge) => (edge ? [presentBlob(edge.node)] : [])) ?? [],
  };
}

function presentBlob(masked: FragmentOf<typeof BlobFields>) {
  const { blobObjectAccess: access, ...blob } = readFragment(BlobFields, masked);
  return {
    blob: {
      id: blob.id,
      uid: blob.uid,
      content_type: blob.contentType,
      name: blob.name,
      size: blob.size,
      created_at: isoSeconds(blob.createdAt),
      updated_at: isoSeconds(blob.updatedAt),
      blob_status: blob.blobStatus,
      set_completed_at: blob.setCompletedAt && isoSeconds(blob.setCompletedAt),
      public: blob.public,
      tags: blob.tags.length > 0 ? blob.tags.join(',') : null,
      ...(access && {
        blob_object_access: {
          id: access.id,
          blob_id: access.blobId,
          expires: isoSeconds(access.expires),
          object_access_type: access.objectAccessType,
          params: access.params,
        },
      }),
    },
  };
}

/** As an object store answers, for which clients take `/uploads`. */
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
