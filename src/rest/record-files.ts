import { MAX_UPLOAD_BYTES } from '../resolvers/files/staged.ts';
import { graphql } from './graphql.ts';
import { route } from './http/route.ts';
import { recordFileDocs } from './openapi/docs/record-files.ts';
import { id, textOrEmpty } from './parameters/readers.ts';
import { parameters, required } from './parameters/table.ts';
import { uploadedRecordFileShape } from './shapes/record.ts';

const UploadRecordFile = graphql(
  `mutation UploadRecordFile($className: String!, $id: ID!, $fieldName: String!) {
    uploadRecordFile(className: $className, id: $id, fieldName: $fieldName) { ...UploadedRecordFileFields }
  }`,
  [uploadedRecordFileShape],
);

const FindRecordFile = graphql(`query FindRecordFile($className: String!, $id: ID!, $fieldName: String!) {
  recordFile(className: $className, id: $id, fieldName: $fieldName) { name contentType size content }
}`);

const DeleteRecordFile = graphql(`mutation DeleteRecordFile($className: String!, $id: ID!, $fieldName: String!) {
  deleteRecordFile(className: $className, id: $id, fieldName: $fieldName)
}`);

const fieldOf = (operation: string) =>
  parameters(operation, { field_name: ['fieldName', required(textOrEmpty), 'Name of a field of type `File`.'] });

/** Must precede the routes of records, where `file` would be a class. */
export const recordFileRoutes = [
  route({
    method: 'post',
    path: '/data/:class/:id/file',
    upload: { maxBytes: MAX_UPLOAD_BYTES },
    document: UploadRecordFile,
    inPath: { class: ['className', id], id: ['id', id] },
    parameters: fieldOf('Mutation.uploadRecordFile'),
    shape: uploadedRecordFileShape,
    docs: recordFileDocs.uploadRecordFile,
  }),
  route({
    method: 'get',
    path: '/data/:class/:id/file',
    download: true,
    document: FindRecordFile,
    inPath: { class: ['className', id], id: ['id', id] },
    parameters: fieldOf('Query.recordFile'),
    respond: ({ recordFile }) => ({ file: recordFile }),
    docs: recordFileDocs.findRecordFile,
  }),
  route({
    method: 'delete',
    path: '/data/:class/:id/file',
    document: DeleteRecordFile,
    inPath: { class: ['className', id], id: ['id', id] },
    parameters: fieldOf('Mutation.deleteRecordFile'),
    docs: recordFileDocs.deleteRecordFile,
  }),
];
