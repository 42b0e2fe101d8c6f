import { graphql, type ResultOf } from '@atrium/client';
import { membersOf } from '../../ui/json.ts';

export const CLASSES = graphql(`query ConsoleClasses {
  classes { id name createdAt updatedAt fields { name type } }
}`);

export const CLASS = graphql(`query ConsoleClass {
  classes {
    name
    fields { name type array required unique index }
    indexes { fields unique state }
    permissions {
      create { access groups ids } read { access groups ids } update { access groups ids } delete { access groups ids }
    }
  }
}`);

export const CREATE_CLASS = graphql(`mutation ConsoleCreateClass($input: CreateClassInput!) {
  createClass(input: $input) { name }
}`);

export const UPDATE_CLASS = graphql(`mutation ConsoleUpdateClass($name: String!, $input: UpdateClassInput!) {
  updateClass(name: $name, input: $input) { name }
}`);

export const DELETE_CLASS = graphql(`mutation ConsoleDeleteClass($name: String!) { deleteClass(name: $name) }`);

/** Without a total, which would take longer the more records match. */
export const RECORDS = graphql(`query ConsoleRecords(
  $className: String!, $filter: JSON, $orderBy: RecordOrder, $first: Int!, $after: String
) {
  records(className: $className, filter: $filter, orderBy: $orderBy, first: $first, after: $after) {
    edges { node { id parentId userId createdAt updatedAt fields } }
    pageInfo { hasNextPage endCursor }
  }
}`);

export const RECORD = graphql(`query ConsoleRecord($className: String!, $id: ID!) {
  recordsById(className: $className, ids: [$id]) {
    records {
      id parentId userId createdAt updatedAt fields
      permissions {
        read { access groups ids } update { access groups ids } delete { access groups ids }
      }
    }
  }
}`);

export const COUNT = graphql(`query ConsoleRecordCount($className: String!, $filter: JSON) {
  records(className: $className, filter: $filter, first: 1) { totalCount }
}`);

export const USER_TAGS = graphql(`query ConsoleRecordReader($id: Int!) {
  user(id: $id) { id login fullName tags grantedTags roles }
  application { groups }
}`);

export const GROUPS = graphql(`query ConsoleRecordGroups(
  $className: String!, $field: String!, $limit: Int!, $calculations: [RecordCalculationInput!]!
) {
  recordPage(className: $className, limit: $limit) {
    groups(by: $field, calculations: $calculations) { value count results }
  }
}`);

export const CREATE_RECORDS =
  graphql(`mutation ConsoleCreateRecords($className: String!, $records: [NewRecordInput!]!) {
  createRecords(className: $className, records: $records) { id }
}`);

export const UPDATE_RECORD = graphql(`mutation ConsoleUpdateRecord(
  $className: String!, $id: ID!, $input: UpdateRecordInput!
) {
  updateRecord(className: $className, id: $id, input: $input) { id }
}`);

export const UPDATE_RECORDS = graphql(`mutation ConsoleUpdateRecords(
  $className: String!, $records: [ChangedRecordInput!]!
) {
  updateRecords(className: $className, records: $records) { notFoundIds }
}`);

export const DELETE_RECORDS = graphql(`mutation ConsoleDeleteRecords($className: String!, $ids: [ID!]!) {
  deleteRecords(className: $className, ids: $ids) { deletedIds }
}`);

export type RecordClass = ResultOf<typeof CLASS>['classes'][number];
export type Field = RecordClass['fields'][number];
export type FieldType = Field['type'];
type RawRecord = ResultOf<typeof RECORDS>['records']['edges'][number]['node'];
/** Fields are null if the caller may not read the record. */
export type DataRecord = Omit<RawRecord, 'fields'> & { fields: Values | null };
export type Values = Record<string, unknown>;

export function recordOf<Raw extends { fields: RawRecord['fields'] }>({ fields, ...record }: Raw) {
  return { ...record, fields: fields === null ? null : membersOf(fields) };
}
