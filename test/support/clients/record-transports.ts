import { NEED_USER } from '../fixtures/error-bodies.ts';
import type { Caller } from '../fixtures/users.ts';
import { graphql } from './graphql.ts';
import { rest } from './rest.ts';

export type Outcome = 'allowed' | 'forbidden' | 'needs a user' | 'not found';

/** A class with its names in the typed schema; it has the fields `make` (text) and `value` (number). */
export interface TransportClass {
  name: string;
  type: string;
  one: string;
  many: string;
}

export interface RecordTransport {
  read: (as: Caller, of: TransportClass, id: string) => Promise<Outcome>;
  update: (as: Caller, of: TransportClass, id: string) => Promise<Outcome>;
  remove: (as: Caller, of: TransportClass, id: string) => Promise<Outcome>;
  create: (as: Caller, of: TransportClass) => Promise<Outcome>;
  createSeveral: (as: Caller, of: TransportClass) => Promise<Outcome>;
  list: (as: Caller, of: TransportClass, make: string) => Promise<string[]>;
  count: (as: Caller, of: TransportClass, make: string) => Promise<number>;
  removeSeveral: (as: Caller, of: TransportClass, ids: string[]) => Promise<string[]>;
}

export const throughRest: RecordTransport = {
  read: (as, { name }, id) => restOutcome('GET', `/data/${name}/${id}`, as),
  update: (as, { name }, id) => restOutcome('PUT', `/data/${name}/${id}`, as, { make: 'changed' }),
  remove: (as, { name }, id) => restOutcome('DELETE', `/data/${name}/${id}`, as),
  create: (as, { name }) => restOutcome('POST', `/data/${name}`, as, { make: 'new' }),
  createSeveral: (as, { name }) => restOutcome('POST', `/data/${name}/multi`, as, { record: { 1: { make: 'new' } } }),
  list: async (as, { name }, make) => {
    const { body } = await rest('GET', `/data/${name}?make=${make}`, { as });
    return body.items.map(({ _id }: { _id: string }) => _id);
  },
  count: async (as, { name }, make) =>
    (await rest('GET', `/data/${name}?make=${make}&count=1`, { as })).body.items.count,
  removeSeveral: async (as, { name }, ids) =>
    (await rest('DELETE', `/data/${name}/${ids},${ids[0]}`, { as })).body.SuccessfullyDeleted.ids,
};

const RECORDS = `query ($className: String!, $make: String!) {
  records(className: $className, filter: { make: $make }) { totalCount edges { node { id } } } }`;

export const throughGraphQL: RecordTransport = {
  read: (as, { name }, id) => outcomeOf(`{ record(className: "${name}", id: "${id}") { id fields } }`, as),
  update: (as, { name }, id) =>
    outcomeOf(
      `mutation { updateRecord(className: "${name}", id: "${id}", input: { fields: { make: "changed" } }) { id } }`,
      as,
    ),
  remove: (as, { name }, id) => outcomeOf(`mutation { deleteRecord(className: "${name}", id: "${id}") }`, as),
  create: (as, { name }) =>
    outcomeOf(`mutation { createRecord(input: { className: "${name}", fields: { make: "new" } }) { id } }`, as),
  createSeveral: (as, { name }) =>
    outcomeOf(`mutation { createRecords(className: "${name}", records: [{ fields: { make: "new" } }]) { id } }`, as),
  list: async (as, { name }, make) => {
    const { data } = await graphql(RECORDS, { className: name, make }, as);
    return data.records.edges.map(({ node }: { node: { id: string } }) => node.id);
  },
  count: async (as, { name }, make) => (await graphql(RECORDS, { className: name, make }, as)).data.records.totalCount,
  removeSeveral: async (as, { name }, ids) => {
    const query = `mutation ($ids: [ID!]!) { deleteRecords(className: "${name}", ids: $ids) { deletedIds } }`;
    return (await graphql(query, { ids }, as)).data.deleteRecords.deletedIds;
  },
};

export const throughTypes: RecordTransport = {
  read: (as, { one }, id) => outcomeOf(`{ ${one}(id: "${id}") { id make } }`, as),
  update: (as, { type }, id) =>
    outcomeOf(`mutation { update${type}(id: "${id}", set: { make: "changed" }) { id } }`, as),
  remove: (as, { type }, id) => outcomeOf(`mutation { delete${type}(id: "${id}") }`, as),
  create: (as, { type }) => outcomeOf(`mutation { create${type}(input: { make: "new" }) { id } }`, as),
  createSeveral: (as, { many }) =>
    outcomeOf(`mutation { create${upperFirst(many)}(inputs: [{ make: "new" }]) { id } }`, as),
  list: async (as, { many }, make) => {
    const { data } = await graphql(`{ ${many}(where: { make: { eq: "${make}" } }) { id } }`, {}, as);
    return data[many].map(({ id }: { id: string }) => id);
  },
  count: async (as, { many }, make) => {
    const query = `{ ${many}Connection(where: { make: { eq: "${make}" } }) { totalCount } }`;
    return (await graphql(query, {}, as)).data[`${many}Connection`].totalCount;
  },
  removeSeveral: async (as, { many }, ids) => {
    const name = `delete${upperFirst(many)}`;
    return (await graphql(`mutation ($ids: [ID!]!) { ${name}(ids: $ids) }`, { ids }, as)).data[name];
  },
};

export const TRANSPORTS = { REST: throughRest, GraphQL: throughGraphQL, 'typed GraphQL': throughTypes };

const FORBIDDEN = "You don't have appropriate permissions to do this operation";

async function restOutcome(method: string, path: string, as: Caller, json?: object): Promise<Outcome> {
  const { status, text } = await rest(method, path, { as, json });
  if (status === 200 || status === 201) return 'allowed';
  if (status === 403 && text === JSON.stringify({ errors: [FORBIDDEN] })) return 'forbidden';
  if (status === 422 && text === JSON.stringify(NEED_USER)) return 'needs a user';
  if (status === 404) return 'not found';
  throw new Error(`${method} ${path}: ${status} ${text}`);
}

export async function outcomeOf(query: string, as: Caller): Promise<Outcome> {
  const { errors } = await graphql(query, {}, as);
  if (!errors) return 'allowed';
  const { message, extensions } = errors[0]!;
  if (extensions?.code === 'FORBIDDEN' && message === FORBIDDEN) return 'forbidden';
  if (extensions?.code === 'FORBIDDEN' && message === 'Forbidden. Need user.') return 'needs a user';
  if (extensions?.code === 'NOT_FOUND') return 'not found';
  throw new Error(`${query}: ${JSON.stringify(errors)}`);
}

function upperFirst(text: string): string {
  return text.replace(/^./, (letter) => letter.toUpperCase());
}
