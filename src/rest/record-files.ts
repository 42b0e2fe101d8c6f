import { readText } from '../lib/parameter-values.ts';
import { errorList } from './errors.ts';
import { graphql } from './graphql.ts';
import { download, empty, MAX_UPLOAD_BYTES, ok, type RestRequest, route } from './http/route.ts';
import { recordFileDocs } from './openapi/docs/record-files.ts';
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

/** Must precede the routes of records, where `file` would be a class. */
export const recordFileRoutes = [
  route({
    method: 'post',
    path: '/data/:class/:id/file',
    upload: { maxBytes: MAX_UPLOAD_BYTES },
    document: UploadRecordFile,
    variables: placeOf,
    respond: ({ uploadRecordFile }) => ok(uploadedRecordFileShape.present(uploadRecordFile)),
    errors: errorList,
    docs: recordFileDocs.uploadRecordFile,
  }),
  route({
    method: 'get',
    path: '/data/:class/:id/file',
    download: true,
    document: FindRecordFile,
    variables: placeOf,
    respond: ({ recordFile }) => download(recordFile),
    errors: errorList,
    docs: recordFileDocs.findRecordFile,
  }),
  route({
    method: 'delete',
    path: '/data/:class/:id/file',
    document: DeleteRecordFile,
    variables: placeOf,
    respond: empty,
    errors: errorList,
    docs: recordFileDocs.deleteRecordFile,
  }),
];

function placeOf({ path, parameters }: RestRequest) {
  return { className: path.class!, id: path.id!, fieldName: readText(parameters.field_name) ?? '' };
}
