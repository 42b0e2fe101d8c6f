import { deleteRecordFile, findRecordFile, type RecordFile, uploadRecordFile } from '../resolvers/records/files.ts';
import { builder } from './builder.ts';
import { CLASS_NAME, FILE_FIELD, RECORD_ID } from './descriptions.ts';
import { StoredFile } from './files.ts';

const RecordFileType = builder.objectRef<RecordFile>('UploadedRecordFile').implement({
  description: 'A file that was put into a field of a record.',
  fields: (t) => ({
    recordId: t.exposeID('recordId', { description: 'The record whose field holds it.' }),
    fileId: t.exposeID('fileId', {
      description: 'Changes with each upload, so that it tells whether the file is another.',
    }),
    name: t.exposeString('name', { description: 'What it is saved as.' }),
    size: t.exposeInt('size', { description: 'How many bytes it has.' }),
    contentType: t.exposeString('contentType', { description: 'As its uploader says; not to be trusted.' }),
  }),
});

builder.queryField('recordFile', (t) =>
  t.withAuth({ session: true }).field({
    type: StoredFile,
    description: 'The file in a field of a record, for whoever may read the record.',
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
    type: RecordFileType,
    description:
      'Puts the file that came with the request into a field; the one that was there is removed. Files come over REST: ' +
      '`POST /data/{class}/{id}/file`.',
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
    description: 'Takes the file of a field away.',
    args: {
      className: t.arg.string({ required: true, description: CLASS_NAME }),
      id: t.arg.id({ required: true, description: RECORD_ID }),
      fieldName: t.arg.string({ required: true, description: FILE_FIELD }),
    },
    resolve: (_root, place, context) => deleteRecordFile(place, context),
  }),
);
