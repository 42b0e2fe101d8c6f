import { uploadAddress } from '../resolvers/content/access.ts';
import { completeBlob } from '../resolvers/content/complete.ts';
import { createBlob } from '../resolvers/content/create.ts';
import { deleteBlob } from '../resolvers/content/delete.ts';
import { blobPath, findBlob, findBlobFile } from '../resolvers/content/find.ts';
import { listBlobs } from '../resolvers/content/list.ts';
import type { BlobRow } from '../resolvers/content/rows.ts';
import { updateBlob } from '../resolvers/content/update.ts';
import { type UploadedBlob, uploadBlob } from '../resolvers/content/upload.ts';
import { builder } from './builder.ts';
import { CREATED_AT, UPDATED_AT } from './descriptions.ts';
import { StoredFile } from './files.ts';
import { metered } from './metered.ts';

const BlobObjectAccess = builder
  .objectRef<{ blob: BlobRow; access: NonNullable<BlobRow['access']> }>('BlobObjectAccess')
  .implement({
    description: 'The right to upload the bytes of a blob, until it expires or the upload is completed.',
    fields: (t) => ({
      id: t.int({ description: 'One right among those given for the blob.', resolve: ({ access }) => access.id }),
      blobId: t.int({ description: 'The blob whose bytes are to come.', resolve: ({ access }) => access.blobId }),
      expires: t.field({
        type: 'DateTime',
        description: 'When the right ends, an hour after it was given.',
        resolve: ({ access }) => access.expiresAt,
      }),
      objectAccessType: t.string({ description: 'Always `Write`.', resolve: () => 'Write' }),
      params: t.string({
        description:
          'Post what is before the `?` a multipart form: each part of the query as a field, then the bytes as `file`.',
        resolve: ({ blob, access }, _args, { publicUrl }) => uploadAddress(blob, access, publicUrl()),
      }),
    }),
  });

export const Blob = builder.objectRef<BlobRow>('Blob').implement({
  description: 'A file of the application. Its `uid` opens it to every session of the application.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'By which it is changed, completed and attached to messages.' }),
    uid: t.exposeString('uid', { description: '34 hex digits.' }),
    contentType: t.exposeString('contentType', { description: 'As its maker says; not to be trusted.' }),
    name: t.exposeString('name', { description: 'What it is saved as by those who download it.' }),
    size: t.exposeInt('size', { nullable: true, description: 'Bytes; null until it is complete.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: CREATED_AT }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: UPDATED_AT }),
    blobStatus: t.string({
      nullable: true,
      description: '`complete` once there is something to download.',
      resolve: ({ storageKey }) => (storageKey === null ? null : 'complete'),
    }),
    setCompletedAt: t.expose('completedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When its bytes became those there are; null until then.',
    }),
    public: t.exposeBoolean('isPublic', { description: 'Whether it is downloaded without credentials.' }),
    tags: t.exposeStringList('tags', { description: "Words of its maker's own; nothing depends on them." }),
    url: t.string({
      nullable: true,
      description: 'Where its bytes are; null until it is complete.',
      resolve: (blob, _args, { publicUrl }) => (blob.storageKey === null ? null : publicUrl() + blobPath(blob)),
    }),
    blobObjectAccess: t.field({
      type: BlobObjectAccess,
      nullable: true,
      description: 'Told when it is given: by `createBlob`, and by `updateBlob` with `new`.',
      resolve: (blob) => blob.access && { blob, access: blob.access },
    }),
  }),
});

type InputFields = PothosSchemaTypes.InputFieldBuilder<typeof builder.$inferSchemaTypes, 'InputObject'>;

const blobFields = (t: InputFields) => ({
  contentType: t.string({ description: 'A media type: `image/png`.' }),
  name: t.string({ description: 'Up to 100 characters.' }),
  public: t.field({ type: 'Flag', description: 'Whether everybody may download it.' }),
  tags: t.stringList({ description: "Words of the maker's own; nothing depends on them." }),
});

const CreateBlobInput = builder.inputType('CreateBlobInput', {
  description: 'At least a name and a content type.',
  fields: (t) => blobFields(t),
});

const UpdateBlobInput = builder.inputType('UpdateBlobInput', {
  description: 'What is left out stays as it is.',
  fields: (t) => ({
    ...blobFields(t),
    new: t.field({
      type: 'Flag',
      description: 'Gives the right to upload other bytes, which replace those there are once they are completed.',
    }),
  }),
});

const UploadBlobInput = builder.inputType('UploadBlobInput', {
  description: 'The fields that the query of `params` holds; those that are given have to be as they are there.',
  fields: (t) => ({
    key: t.string({ required: true, description: "Where the bytes go: the blob's `uid`." }),
    policy: t.string({ required: true, description: 'What may be uploaded and until when, in Base64.' }),
    signature: t.string({ required: true, description: 'Of the policy, by the key that was made for this upload.' }),
    acl: t.string({ description: '`public-read` or `authenticated-read`.' }),
    contentType: t.string({ description: "The blob's media type." }),
    expires: t.string({ description: 'When the policy ends.' }),
    successActionStatus: t.string({ description: 'Always `201`.' }),
  }),
});

const UploadedBlobType = builder.objectRef<UploadedBlob>('UploadedBlob').implement({
  description: 'Bytes that have come for a blob.',
  fields: (t) => ({
    uid: t.exposeString('uid', { description: 'That of the blob, 34 hex digits.' }),
    size: t.exposeInt('size', { description: 'How many bytes it has.' }),
    md5: t.exposeString('md5', { description: 'Of the bytes, in hex.' }),
    url: t.string({
      description: 'Where they are once they are completed.',
      resolve: (blob, _args, { publicUrl }) => publicUrl() + blobPath(blob),
    }),
  }),
});

builder.queryField('blob', (t) =>
  t.withAuth({ session: true }).field({
    type: Blob,
    description: 'One file, without its bytes, as far as `filesByNumber` of the application lets the caller read it.',
    args: { id: t.arg.int({ required: true, description: 'As `createBlob` answered it.' }) },
    resolve: (_root, { id }, context) => findBlob(id, context),
  }),
);

builder.queryField('blobs', (t) =>
  t.withAuth({ userOrKey: true }).connection(
    {
      type: Blob,
      description: "The caller's, newest first; an API key alone gets all of the application.",
      args: {
        skip: t.arg.int({ description: 'Blobs to pass over; its cost grows with it, that of cursors does not.' }),
      },
      resolve: (_root, args, context) => listBlobs(args, context),
    },
    { fields: metered },
  ),
);

builder.queryField('blobFile', (t) =>
  t.withAuth({ anyone: true }).field({
    type: StoredFile,
    description: 'The bytes of a complete blob, by its `uid` or its `id`: of a public one for everybody.',
    args: {
      uid: t.arg.string({ description: '34 hex digits; either this or the `id`.' }),
      id: t.arg.int({ description: 'As `createBlob` answered it; either this or the `uid`.' }),
    },
    resolve: (_root, args, context) => findBlobFile(args, context),
  }),
);

builder.mutationField('createBlob', (t) =>
  t.withAuth({ user: true }).field({
    type: Blob,
    description: 'Makes a file without bytes. They are uploaded as `blobObjectAccess` says, then completed.',
    args: {
      input: t.arg({ type: CreateBlobInput, required: true, description: 'What the file is called and what it is.' }),
    },
    resolve: (_root, { input }, context) => createBlob(input, context),
  }),
);

builder.mutationField('uploadBlob', (t) =>
  t.withAuth({ anyone: true }).field({
    type: UploadedBlobType,
    description: 'Behind `POST /uploads`, which alone takes bytes. Whoever has a signed policy may upload.',
    args: {
      input: t.arg({
        type: UploadBlobInput,
        required: true,
        description: 'The fields of the form, as the signed address has them.',
      }),
    },
    resolve: (_root, { input }, context) => uploadBlob(input, context),
  }),
);

builder.mutationField('completeBlob', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: Blob,
    description: 'Makes what was uploaded the bytes of the blob.',
    args: { id: t.arg.int({ required: true, description: 'Whose bytes have been uploaded.' }) },
    resolve: (_root, { id }, context) => completeBlob(id, context),
  }),
);

builder.mutationField('updateBlob', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: Blob,
    description: 'Changes a blob of the caller, or for an API key alone any.',
    args: {
      id: t.arg.int({ required: true, description: 'As `createBlob` answered it.' }),
      input: t.arg({ type: UpdateBlobInput, required: true, description: 'What is to be other than it is.' }),
    },
    resolve: (_root, { id, input }, context) => updateBlob(id, input, context),
  }),
);

builder.mutationField('deleteBlob', (t) =>
  t.withAuth({ userOrKey: true }).boolean({
    description: 'Deletes a blob of the caller, or for an API key alone any, and its bytes.',
    args: { id: t.arg.int({ required: true, description: 'As `createBlob` answered it.' }) },
    resolve: (_root, { id }, context) => deleteBlob(id, context),
  }),
);
