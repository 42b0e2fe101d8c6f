import { DEVELOPER } from '../administration/administrators/rights.ts';
import { deleteRecordFile, findRecordFile, type RecordFile, uploadRecordFile } from '../resolvers/records/files.ts';
import { builder } from './builder.ts';
import { CLASS_NAME, FILE_FIELD, RECORD_ID } from './descriptions.ts';
import { StoredFile } from './files.ts';

const RecordFileType = builder.objectRef<RecordFile>('UploadedRecordFile').implement({
  description: 'Result of `uploadRecordFile`.',
  fields: (t) => ({
    recordId: t.exposeID('recordId', { description: 'Id of the record that contains the file.' }),
    fileId: t.exposeID('fileId', { description: 'Id of the file. Each upload creates a new id.' }),
    name: t.exposeString('name', { description: 'File name for downloads.' }),
    size: t.exposeInt('size', { description: 'Size in bytes.' }),
    contentType: t.exposeString('contentType', { description: 'Media type given by the uploader. Not verified.' }),
  }),
});

builder.queryField('recordFile', (t) =>
  t.withAuth({ session: true }).field({
    scope: 'records',
    administrator: { roles: DEVELOPER },
    type: StoredFile,
    description:
      'The file in a field of a record. Fails with `NOT_FOUND` if there is no record or file, and `FORBIDDEN` ' +
      'if the caller may not read the record.',
    args: {
      className: t.arg.string({ required: true, description: CLASS_NAME }),
      id: t.arg.id({ required: true, description: RECORD_ID }),
      fieldName: t.arg.string({ required: true, description: FILE_FIELD }),
    },
    resolve: (_root, place, context) => findRecordFile(place, context),
  }),
);

builder.mutationField('uploadRecordFile', (t) =>
  t.withAuth({ userOrKey: true }).field({
    scope: 'records',
    administrator: { roles: DEVELOPER },
    type: RecordFileType,
    description:
      'Stores the uploaded file in a field of a record, and deletes the previous file. Call it as `POST ' +
      '/data/{class}/{id}/file`, because GraphQL requests carry no files. Fails with `FORBIDDEN` if the caller ' +
      'may not update the record.',
    args: {
      className: t.arg.string({ required: true, description: CLASS_NAME }),
      id: t.arg.id({ required: true, description: RECORD_ID }),
      fieldName: t.arg.string({ required: true, description: FILE_FIELD }),
    },
    resolve: (_root, place, context) => uploadRecordFile(place, context),
  }),
);

builder.mutationField('deleteRecordFile', (t) =>
  t.withAuth({ userOrKey: true }).boolean({
    scope: 'records',
    administrator: { roles: DEVELOPER },
    description:
      'Deletes the file in a field of a record and returns true. Fails with `NOT_FOUND` if there is no record ' +
      'or file, and `FORBIDDEN` if the caller may not update the record.',
    args: {
      className: t.arg.string({ required: true, description: CLASS_NAME }),
      id: t.arg.id({ required: true, description: RECORD_ID }),
      fieldName: t.arg.string({ required: true, description: FILE_FIELD }),
    },
    resolve: (_root, place, context) => deleteRecordFile(place, context),
  }),
);
