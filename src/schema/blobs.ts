import { STAFF } from '../administration/administrators/rights.ts';
import type { Context } from '../context.ts';
import { uploadAddress } from '../resolvers/blobs/access.ts';
import { type FileAddress, listFileAddresses, MAX_FILES } from '../resolvers/blobs/addresses.ts';
import { admitAdministrator } from '../resolvers/blobs/administrators.ts';
import { completeBlob } from '../resolvers/blobs/complete.ts';
import { createBlob } from '../resolvers/blobs/create.ts';
import { deleteBlob } from '../resolvers/blobs/delete.ts';
import { blobPath, findBlob, findBlobFile } from '../resolvers/blobs/find.ts';
import { listBlobs } from '../resolvers/blobs/list.ts';
import type { BlobRow } from '../resolvers/blobs/rows.ts';
import { MAX_NAME, MAX_TAGS, MAX_TYPE } from '../resolvers/blobs/rules.ts';
import { updateBlob } from '../resolvers/blobs/update.ts';
import { type UploadedBlob, uploadBlob } from '../resolvers/blobs/upload.ts';
import { builder, type InputFields } from './builder.ts';
import { CREATED_AT, grouped, skipped, UPDATED_AT } from './descriptions.ts';
import { StoredFile } from './files.ts';
import { withTotalCount } from './total-count.ts';

const BlobObjectAccess = builder
  .objectRef<{ blob: BlobRow; access: NonNullable<BlobRow['upload']> }>('BlobObjectAccess')
  .implement({
    description: 'Permission to upload the bytes of a blob. It ends when it expires or the upload is completed.',
    fields: (t) => ({
      id: t.int({ description: 'Id of this permission.', resolve: ({ access }) => access.id }),
      blobId: t.int({ description: 'Id of the blob to upload to.', resolve: ({ access }) => access.blobId }),
      expires: t.field({
        type: 'DateTime',
        description: 'Expiry time, one hour after the permission was issued.',
        resolve: ({ access }) => access.expiresAt,
      }),
      objectAccessType: t.string({ description: 'Kind of permission: always `Write`.', resolve: () => 'Write' }),
      params: t.string({
        description:
          'Upload URL, signed in its query. Send a `multipart/form-data` POST to the part before `?`, with every ' +
          'query parameter as a form field, followed by the bytes as `file`.',
        resolve: ({ blob, access }, _args, { publicUrl }) => uploadAddress(blob, access, publicUrl()),
      }),
    }),
  });

/** For fields that open a private file or describe its content. */
function admitted<Value>(read: (blob: BlobRow, context: Context) => Value) {
  return (blob: BlobRow, _args: object, context: Context): Value | Promise<Value> => {
    const admission = admitAdministrator(blob, context);
    return admission ? admission.then(() => read(blob, context)) : read(blob, context);
  };
}

export const Blob = builder.objectRef<BlobRow>('Blob').implement({
  description:
    'A file of the application. Every session of the application may download it by its `uid`. Administrators get ' +
    '`uid`, `name`, `tags` and `url` of a private file as they get messages: with the role and a reason.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Numeric id for operations on the blob and for attachments of messages.' }),
    uid: t.string({
      description: '34 hex digits, hard to guess. Part of the download URL.',
      resolve: admitted(({ uid }) => uid),
    }),
    contentType: t.exposeString('contentType', { description: 'Media type given by the uploader. Not verified.' }),
    name: t.string({ description: 'File name for downloads.', resolve: admitted(({ name }) => name) }),
    size: t.exposeInt('size', { nullable: true, description: 'Size in bytes; null until an upload is completed.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: CREATED_AT }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: UPDATED_AT }),
    blobStatus: t.string({
      nullable: true,
      description: '`complete` if the file can be downloaded, otherwise null.',
      resolve: ({ storageKey }) => (storageKey === null ? null : 'complete'),
    }),
    setCompletedAt: t.expose('completedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which the current bytes were completed; null until then.',
    }),
    public: t.exposeBoolean('isPublic', { description: 'Whether the file can be downloaded without credentials.' }),
    tags: t.stringList({
      description: 'Labels chosen by the client; the server does not use them.',
      resolve: admitted(({ tags }) => tags),
    }),
    url: t.string({
      nullable: true,
      description: 'Download URL; null until an upload is completed.',
      resolve: admitted((blob, { publicUrl }) => (blob.storageKey === null ? null : publicUrl() + blobPath(blob))),
    }),
    blobObjectAccess: t.field({
      type: BlobObjectAccess,
      nullable: true,
      description:
        'Permission to upload; only returned by `createBlob`, and by `updateBlob` with `new`. Null otherwise.',
      resolve: admitted((blob) => blob.upload && { blob, access: blob.upload }),
    }),
  }),
});

const blobFields = (t: InputFields) => ({
  contentType: t.string({
    description: `Media type, for example \`image/png\`, at most ${MAX_TYPE} characters. Required by \`createBlob\`.`,
  }),
  name: t.string({ description: `File name, 1 to ${MAX_NAME} characters. Required by \`createBlob\`.` }),
  public: t.field({
    type: 'Flag',
    description: 'Whether the file can be downloaded without credentials. Default for a new blob: false.',
  }),
  tags: t.stringList({
    description: `Labels chosen by the client, at most ${grouped(MAX_TAGS)} characters in total; the server does not use them.`,
  }),
});

const CreateBlobInput = builder.inputType('CreateBlobInput', {
  description: 'The blob to create. `name` and `contentType` are required.',
  fields: (t) => blobFields(t),
});

const UpdateBlobInput = builder.inputType('UpdateBlobInput', {
  description: 'The fields to change. Omitted fields remain unchanged.',
  fields: (t) => ({
    ...blobFields(t),
    new: t.field({
      type: 'Flag',
      description:
        'If true, issues a new permission to upload and ends the previous one. The current bytes remain until the ' +
        'new upload is completed. Default: false.',
    }),
  }),
});

const UploadBlobInput = builder.inputType('UploadBlobInput', {
  description:
    'The parameters from the query of `params`. Fields other than `key`, `policy` and `signature` may be ' +
    'omitted, but must match the policy if present.',
  fields: (t) => ({
    key: t.string({ required: true, description: 'The `uid` of the blob.' }),
    policy: t.string({ required: true, description: 'The signed upload policy, Base64url-encoded JSON.' }),
    signature: t.string({ required: true, description: 'HMAC signature of `policy`.' }),
    acl: t.string({ description: '`public-read` for a public blob, otherwise `authenticated-read`.' }),
    contentType: t.string({ description: 'Media type of the blob.' }),
    expires: t.string({ description: 'Expiry time of the policy, ISO 8601 in whole seconds.' }),
    successActionStatus: t.string({ description: 'HTTP status of a successful upload: always `201`.' }),
  }),
});

const UploadedBlobType = builder.objectRef<UploadedBlob>('UploadedBlob').implement({
  description: 'Bytes received for a blob. They are not visible until `completeBlob`.',
  fields: (t) => ({
    uid: t.exposeString('uid', { description: 'The `uid` of the blob, 34 hex digits.' }),
    size: t.exposeInt('size', { description: 'Size in bytes.' }),
    md5: t.exposeString('md5', { description: 'MD5 hash of the bytes, in hex.' }),
    url: t.string({
      description: 'Download URL after completion.',
      resolve: (blob, _args, { publicUrl }) => publicUrl() + blobPath(blob),
    }),
  }),
});

builder.queryField('blob', (t) =>
  t.withAuth({ session: true }).field({
    scope: 'files',
    administrator: { roles: STAFF },
    type: Blob,
    description:
      'Metadata of one blob. Fails with `NOT_FOUND` if the blob is unknown, or if the setting `filesByNumber` ' +
      'does not let the caller read it by id.',
    args: { id: t.arg.int({ required: true, description: 'Numeric id of the blob.' }) },
    resolve: (_root, { id }, context) => findBlob(id, context),
  }),
);

builder.queryField('blobs', (t) =>
  t.withAuth({ userOrKey: true }).connection(
    {
      scope: 'files',
      administrator: { roles: STAFF },
      type: Blob,
      description:
        "The caller's blobs, newest first; all blobs of the application for an API key without `On-Behalf-Of`.",
      args: {
        skip: t.arg.int({ description: skipped('blobs') }),
      },
      resolve: (_root, args, context) => listBlobs(args, context),
    },
    { fields: withTotalCount },
  ),
);

builder.queryField('blobFile', (t) =>
  t.withAuth({ anyone: true }).field({
    scope: 'files',
    administrator: { roles: STAFF },
    type: StoredFile,
    description:
      'The file of a complete blob, by `uid` or `id`. Public blobs need no credentials. Fails with `NOT_FOUND` ' +
      'if the blob is unknown, incomplete or not readable.',
    args: {
      uid: t.arg.string({ description: 'The `uid`, 34 hex digits. Pass either `uid` or `id`.' }),
      id: t.arg.int({ description: 'The numeric id. Pass either `uid` or `id`.' }),
      ticket: t.arg.string({
        description: 'The `ticket` in an address of `fileAddresses`, in place of credentials; only for a `uid`.',
      }),
    },
    resolve: (_root, args, context) => findBlobFile(args, context),
  }),
);

const FileAddressType = builder.objectRef<FileAddress>('FileAddress').implement({
  description: 'An address of one file, for images and links: a download needs no credentials.',
  fields: (t) => ({
    url: t.exposeString('url', { description: 'Download URL. Every client that has it can use it until it expires.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the URL stops working, 15 minutes after it was issued; null for a public file.',
    }),
  }),
});

builder.queryField('fileAddresses', (t) =>
  t.withAuth({ userOrKey: true }).field({
    scope: 'files',
    administrator: { roles: STAFF },
    type: [FileAddressType],
    nullable: { list: false, items: true },
    description:
      'Short-lived addresses of files, in the given order, so that no address contains the credentials of the caller. ' +
      'Null for a file that is unknown, incomplete or not readable by the caller.',
    args: {
      files: t.arg.stringList({ required: true, description: `Ids or uids of blobs, at most ${MAX_FILES}.` }),
    },
    resolve: (_root, { files }, context) => listFileAddresses(files, context),
  }),
);

builder.mutationField('createBlob', (t) =>
  t.withAuth({ user: true }).field({
    scope: 'files',
    administrator: { roles: STAFF },
    type: Blob,
    description:
      'Creates a blob without bytes. Upload the bytes as described in `blobObjectAccess`, then call ' +
      '`completeBlob`.',
    args: {
      input: t.arg({ type: CreateBlobInput, required: true, description: 'Name, media type and options of the blob.' }),
    },
    resolve: (_root, { input }, context) => createBlob(input, context),
  }),
);

builder.mutationField('uploadBlob', (t) =>
  t.withAuth({ anyone: true }).field({
    scope: 'files',
    type: UploadedBlobType,
    description:
      'Stores uploaded bytes for a blob. Call it as `POST /uploads`, because GraphQL requests carry no files. A ' +
      'signed policy is the only credential; an invalid or expired one fails with `FORBIDDEN`.',
    args: {
      input: t.arg({ type: UploadBlobInput, required: true, description: 'Form fields from the signed upload URL.' }),
    },
    resolve: (_root, { input }, context) => uploadBlob(input, context),
  }),
);

builder.mutationField('completeBlob', (t) =>
  t.withAuth({ userOrKey: true }).field({
    scope: 'files',
    administrator: { roles: STAFF, isConfirmed: true },
    type: Blob,
    description:
      'Replaces the bytes of the blob by the latest upload. Safe to retry. Fails with `UNPROCESSABLE` if ' +
      'nothing was uploaded and `FORBIDDEN` if the blob belongs to another user.',
    args: { id: t.arg.int({ required: true, description: 'Numeric id of the blob.' }) },
    resolve: (_root, { id }, context) => completeBlob(id, context),
  }),
);

builder.mutationField('updateBlob', (t) =>
  t.withAuth({ userOrKey: true }).field({
    scope: 'files',
    administrator: { roles: STAFF, isConfirmed: true, harmlessMembers: ['contentType', 'name', 'tags'] },
    type: Blob,
    description:
      "Changes a blob of the caller, or any blob for an API key without `On-Behalf-Of`. Another user's blob " +
      'fails with `FORBIDDEN`.',
    args: {
      id: t.arg.int({ required: true, description: 'Numeric id of the blob.' }),
      input: t.arg({ type: UpdateBlobInput, required: true, description: 'The fields to change.' }),
    },
    resolve: (_root, { id, input }, context) => updateBlob(id, input, context),
  }),
);

builder.mutationField('deleteBlob', (t) =>
  t.withAuth({ userOrKey: true }).boolean({
    scope: 'files',
    administrator: { roles: STAFF, isConfirmed: true },
    description:
      'Deletes a blob of the caller and its bytes, or any blob for an API key without `On-Behalf-Of`, and ' +
      "returns true. Another user's blob fails with `FORBIDDEN`.",
    args: { id: t.arg.int({ required: true, description: 'Numeric id of the blob.' }) },
    resolve: (_root, { id }, context) => deleteBlob(id, context),
  }),
);
