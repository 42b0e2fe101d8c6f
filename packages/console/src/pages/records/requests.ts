import { address, BY_KEY, curlOf, headersOf, quoted, typeScriptOf } from '../../ui/samples.ts';
import type { DataRecord, RecordClass } from './documents.ts';
import { type Condition, recordFilter } from './filters.tsx';
import type { View } from './view.ts';

/** The same request in each form; `ATRIUM_API_KEY` is a variable of the environment. */
export interface Sample {
  title: string;
  forms: Record<'curl' | 'GraphQL' | 'TypeScript', string>;
}

const KEY = headersOf(BY_KEY);
const JSON_TYPE = '-H "Content-Type: application/json"';

/** Requests that read, change and delete a record, and run unchanged. */
export function recordRequests(definition: RecordClass, record: DataRecord): Sample[] {
  const { name } = definition;
  const path = `/data/${encodeURIComponent(name)}/${record.id}.json`;
  const fields = changeOf(definition, record);
  const identity = { className: name, id: record.id };
  return [
    {
      title: 'read',
      forms: {
        curl: `curl ${address(path)} ${KEY}`,
        ...typed(
          'query ($className: String!, $id: ID!) { record(className: $className, id: $id) { id userId updatedAt fields } }',
          identity,
        ),
      },
    },
    {
      title: 'change',
      forms: {
        curl: `curl -X PUT ${address(path)} ${KEY} ${JSON_TYPE} -d ${quoted(JSON.stringify(fields))}`,
        ...typed(
          'mutation ($className: String!, $id: ID!, $fields: JSON!) { updateRecord(className: $className, id: $id, input: { fields: $fields }) { id fields } }',
          { ...identity, fields },
        ),
      },
    },
    {
      title: 'delete',
      forms: {
        curl: `curl -X DELETE ${address(path)} ${KEY}`,
        ...typed(
          'mutation ($className: String!, $ids: [ID!]!) { deleteRecords(className: $className, ids: $ids) { deletedIds } }',
          { className: name, ids: [record.id] },
        ),
      },
    },
  ];
}

/** A request that lists what the grid shows. */
export function listRequests(
  definition: RecordClass,
  conditions: readonly Condition[],
  { orderBy }: Pick<View, 'orderBy'>,
): Sample[] {
  const { name } = definition;
  const filter = recordFilter([...conditions], definition);
  const parameters = new URLSearchParams([
    ...conditions.map(({ field, operator, text }) => [restName(field, operator), text] as [string, string]),
    ...(orderBy
      ? [[orderBy.direction === 'DESC' ? 'sort_desc' : 'sort_asc', restField(orderBy.field)] as [string, string]]
      : []),
    ['limit', '10'],
  ]);
  const variables = { className: name, filter, orderBy };
  return [
    {
      title: 'list',
      forms: {
        curl: `curl -g ${address(`/data/${encodeURIComponent(name)}.json?${parameters}`)} ${KEY}`,
        ...typed(
          'query ($className: String!, $filter: JSON, $orderBy: RecordOrder) { records(className: $className, filter: $filter, orderBy: $orderBy, first: 10) { edges { node { id fields } } pageInfo { hasNextPage endCursor } } }',
          variables,
        ),
      },
    },
  ];
}

function typed(query: string, variables: object) {
  const operation = { query, variables };
  return {
    GraphQL: curlOf(operation, BY_KEY),
    TypeScript: typeScriptOf(operation, BY_KEY, query.startsWith('query') ? 'query' : 'mutation'),
  };
}

/** The first text or number of the record, unchanged, so that the request changes nothing until its value is replaced. */
function changeOf({ fields }: RecordClass, record: DataRecord) {
  const field = fields.find(({ type, array }) => !array && type !== 'FILE' && type !== 'LOCATION') ?? fields[0];
  return field ? { [field.name]: record.fields?.[field.name] ?? null } : {};
}

const REST_OPERATORS: Record<string, string> = {
  contains: '[ctn]',
  ne: '[ne]',
  gt: '[gt]',
  gte: '[gte]',
  lt: '[lt]',
  lte: '[lte]',
};
const REST_FIELDS: Record<string, string> = {
  id: '_id',
  parentId: '_parent_id',
  userId: 'user_id',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
};

const restField = (name: string) => REST_FIELDS[name] ?? name;
const restName = (field: string, operator: string) => `${restField(field)}${REST_OPERATORS[operator] ?? ''}`;
