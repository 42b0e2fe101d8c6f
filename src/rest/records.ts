import type { Parameters } from '../lib/bracket-keys.ts';
import { readFlag } from '../lib/parameter-values.ts';
import { errorList } from './errors.ts';
import { graphql } from './graphql.ts';
import { isCount, readIds } from './http/lists.ts';
import { type Answer, ok, route } from './http/route.ts';
import { recordDocs } from './openapi/docs/records.ts';
import { type MaskedRecord, present, RecordFields, unmasked } from './presented-records.ts';
import {
  presentListed,
  presentPermissions,
  presentValue,
  readGrouping,
  readRecordOrder,
  readRecordWindow,
} from './record-forms.ts';

const FindRecord = graphql(
  `query FindRecord($className: String!, $id: ID!, $ownOnly: Boolean) {
    record(className: $className, id: $id, ownOnly: $ownOnly) { ...RecordFields }
  }`,
  [RecordFields],
);

const FindRecords = graphql(
  `query FindRecords($className: String!, $ids: [ID!]!) {
    recordsById(className: $className, ids: $ids) { records { ...RecordFields } notFoundIds }
  }`,
  [RecordFields],
);

const ListRecords = graphql(
  `query ListRecords(
    $className: String!, $criteria: JSON, $orderBy: RecordOrder, $parent: RecordParentInput, $skip: Int!, $limit: Int!,
    $lastOnly: Boolean, $count: Boolean!, $groups: Boolean!, $items: Boolean!, $by: String!,
    $calculations: [RecordCalculationInput!]!
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
  [RecordFields],
);

export const recordRoutes = [
  route({
    method: 'get',
    path: '/data/:class',
    xml: 'records',
    document: ListRecords,
    variables: ({ path, given }) => ({ className: path.class!, ...readListing(given) }),
    respond: ({ recordPage }, { path, given }) => presentPage(recordPage, path.class!, given),
    errors: errorList,
    docs: recordDocs.listRecords,
  }),
  route({
    method: 'get',
    path: '/data/:class/:ids',
    several: true,
    xml: 'records',
    document: FindRecords,
    variables: ({ path }) => ({ className: path.class!, ids: readIds(path.ids!) }),
    respond: ({ recordsById: { records, notFoundIds } }, { path, given }) =>
      ok({
        class_name: path.class,
        items: presentListed(records.map(unmasked), given),
        not_found: { ids: notFoundIds },
      }),
    errors: errorList,
    docs: recordDocs.findRecords,
  }),
  route({
    method: 'get',
    path: '/data/:class/:id',
    xml: 'record',
    document: FindRecord,
    variables: ({ path, given }) => ({ className: path.class!, id: path.id!, ownOnly: asksForPermissions(given) }),
    respond: ({ record }, { given }) => {
      if (!asksForPermissions(given)) return ok(present(record));
      const { id, permissions } = unmasked(record);
      return ok({ permissions: presentPermissions(permissions!), record_id: id });
    },
    errors: errorList,
    docs: recordDocs.findRecord,
  }),
  route({
    method: 'get',
    path: '/data/:class/:parent/:child',
    xml: 'records',
    document: ListRecords,
    variables: ({ path, given }) => ({
      className: path.child!,
      parent: { className: path.class!, id: path.parent! },
      ...readListing(given),
    }),
    respond: ({ recordPage }, { path, given }) => presentPage(recordPage, path.child!, given),
    errors: errorList,
    docs: recordDocs.listChildRecords,
  }),
];

function asksForPermissions({ permissions }: Parameters): boolean {
  return readFlag(permissions) === true;
}

/** The variables of a list; it shows its number, its groups, or its items. */
function readListing(given: Parameters) {
  const { by, calculations, criteria } = readGrouping(given);
  const count = isCount(given);
  return {
    criteria,
    orderBy: readRecordOrder(given),
    ...readRecordWindow(given),
    count,
    groups: !count && by !== undefined,
    items: !count && by === undefined,
    by: by ?? '',
    calculations,
  };
}

interface PageAnswer {
  skip: number;
  limit: number;
  totalCount?: number | null | undefined;
  groups?: { value: unknown; results: (number | null)[] }[] | null | undefined;
  items?: MaskedRecord[] | null | undefined;
}

function presentPage(page: PageAnswer, className: string, given: Parameters): Answer {
  const { skip, limit, totalCount, groups, items } = page;
  const { calculations } = readGrouping(given);
  return ok({
    class_name: className,
    skip,
    limit,
    items: isCount(given)
      ? { count: totalCount }
      : groups
        ? groups.map(({ value, results }) => ({
            _id: presentValue(value),
            ...Object.fromEntries(calculations.map(({ field }, index) => [field, results[index]])),
          }))
        : presentListed((items ?? []).map(unmasked), given),
  });
}
