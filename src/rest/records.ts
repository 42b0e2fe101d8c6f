import type { Parameters } from '../lib/bracket-keys.ts';
import { graphql } from './graphql.ts';
import { route } from './http/route.ts';
import { recordDocs } from './openapi/docs/records.ts';
import { isCount } from './parameters/lists.ts';
import { id, ids, isSet } from './parameters/readers.ts';
import { parameters } from './parameters/table.ts';
import { type ListedRecord, presentListed, presentRecord } from './presented-records.ts';
import { CHILD, RECORD_IDS } from './record-forms.ts';
import { asksForPermissions, readGrouping, recordListing, recordOutput } from './record-lists.ts';
import { presentValue } from './record-values.ts';
import { listedRecordShape, recordShape } from './shapes/record.ts';

const FindRecord = graphql(
  `query FindRecord($className: String!, $id: ID!, $ownOnly: Boolean) {
    record(className: $className, id: $id, ownOnly: $ownOnly) { ...RecordFields }
  }`,
  [recordShape],
);

const FindRecordsById = graphql(
  `query FindRecordsById($className: String!, $ids: [ID!]!, $permissions: Boolean = false) {
    recordsById(className: $className, ids: $ids) { records { ...RecordFields } notFoundIds }
  }`,
  [listedRecordShape],
);

const ListRecordPage = graphql(
  `query ListRecordPage(
    $className: String!, $criteria: JSON, $orderBy: RecordOrder, $parent: RecordParentInput, $skip: Int!, $limit: Int!,
    $lastOnly: Boolean, $count: Boolean!, $groups: Boolean!, $items: Boolean!, $by: String!,
    $calculations: [RecordCalculationInput!]!, $permissions: Boolean = false
  ) {
    recordPage(
      className: $className, criteria: $criteria, orderBy: $orderBy, parent: $parent, skip: $skip, limit: $limit,
      lastOnly: $lastOnly
    ) {
      skip limit
      totalCount @include(if: $count)
      groups(by: $by, calculations: $calculations) @include(if: $groups) { value results }
      items @include(if: $items) { ...RecordFields }
    }
  }`,
  [listedRecordShape],
);

export const recordRoutes = [
  route({
    method: 'get',
    path: '/data/:class',
    xml: 'records',
    document: ListRecordPage,
    inPath: { class: ['className', id] },
    parameters: recordListing,
    present: ({ recordPage }, { path, parameters }) => presentPage(recordPage, path.class, parameters),
    docs: recordDocs.listRecords,
  }),
  route({
    method: 'get',
    path: '/data/:class/:ids',
    several: true,
    xml: 'records',
    document: FindRecordsById,
    inPath: { class: ['className', id], ids: ['ids', ids, RECORD_IDS] },
    parameters: recordOutput,
    present: ({ recordsById: { records, notFoundIds } }, { path, parameters }) => ({
      class_name: path.class,
      items: presentListed(records, parameters),
      not_found: { ids: notFoundIds },
    }),
    docs: recordDocs.findRecords,
  }),
  route({
    method: 'get',
    path: '/data/:class/:id',
    xml: 'record',
    document: FindRecord,
    inPath: { class: ['className', id], id: ['id', id] },
    parameters: parameters('Query.record', {
      permissions: ['ownOnly', isSet, '1 returns only the permissions; for the owner and API keys alone. Default 0.'],
    }),
    present: ({ record }, { parameters }) => {
      if (!asksForPermissions(parameters)) return presentRecord(record);
      const { permissions, _id } = recordShape.present(record);
      return { permissions, record_id: _id };
    },
    docs: recordDocs.findRecord,
  }),
  route({
    method: 'get',
    path: '/data/:class/:parent/:child',
    xml: 'records',
    document: ListRecordPage,
    inPath: CHILD,
    parameters: recordListing,
    variables: ({ path, values }) => ({
      className: path.child,
      parent: { className: path.class, id: path.parent },
      ...values,
    }),
    present: ({ recordPage }, { path, parameters }) => presentPage(recordPage, path.child, parameters),
    docs: recordDocs.listChildRecords,
  }),
];

interface PageAnswer {
  skip: number;
  limit: number;
  totalCount?: number | null | undefined;
  groups?: { value: unknown; results: (number | null)[] }[] | null | undefined;
  items?: ListedRecord[] | null | undefined;
}

function presentPage(page: PageAnswer, className: string, parameters: Parameters) {
  const { skip, limit, totalCount, groups, items } = page;
  return {
    class_name: className,
    skip,
    limit,
    items: isCount(parameters)
      ? { count: totalCount }
      : groups
        ? presentGroups(groups, parameters)
        : presentListed(items ?? [], parameters),
  };
}

function presentGroups(groups: NonNullable<PageAnswer['groups']>, parameters: Parameters) {
  const { calculations } = readGrouping(parameters);
  return groups.map(({ value, results }) => ({
    _id: presentValue(value),
    ...Object.fromEntries(calculations.map(({ field }, index) => [field, results[index]])),
  }));
}
