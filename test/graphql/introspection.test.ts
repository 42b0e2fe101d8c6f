import { loadFromURL } from '@gql.tada/internal';
import {
  buildClientSchema,
  executeSync,
  getIntrospectionQuery,
  type IntrospectionOptions,
  parse,
  print,
} from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema/index.ts';
import { running, useApp } from '../support/app/app.ts';
import { graphql } from '../support/clients/graphql.ts';
import { GRAPHQL_TRANSPORTS } from '../support/clients/transports.ts';
import { changeClass, defineClass } from '../support/fixtures/typed-classes.ts';
import { anonymous, apiKey } from '../support/fixtures/users.ts';

useApp();

const OPTIONS: IntrospectionOptions[] = [
  {},
  { descriptions: false },
  { specifiedByUrl: true, directiveIsRepeatable: true, schemaDescription: true, inputValueDeprecation: true },
  { oneOf: true, inputValueDeprecation: true, descriptions: true },
];

const OLD = `query IntrospectionQuery { __schema { queryType { name } types { kind name description
  fields(includeDeprecated: true) { name args { name description type { ...R } defaultValue } type { ...R } }
  inputFields { name type { ...R } defaultValue } interfaces { ...R } enumValues(includeDeprecated: true) { name }
  possibleTypes { ...R } } directives { name locations args { name type { ...R } } } } }
  fragment R on __Type { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } }`;

const documents = [...OPTIONS.map(getIntrospectionQuery), OLD].flatMap((document) => [
  document,
  print(parse(document)).replace(/IntrospectionQuery/, 'MyTool'),
  document.replace('__schema {', '__typename __schema { __typename'),
]);

test('full introspection returns the exact schema on every transport, also from the cache', async () => {
  for (const document of documents) {
    // As text, because the comparison of objects of this size takes seconds.
    const expected = JSON.stringify(executeSync({ schema, document: parse(document) }).data);
    const dataOf = ({ data }: { data?: unknown }) => JSON.stringify(data);
    for (let time = 0; time < 2; time++) expect(dataOf(await graphql(document, {}, anonymous))).toBe(expected);
    for (const [transport, run] of GRAPHQL_TRANSPORTS) {
      expect([transport, dataOf(await run(document, {}, apiKey))]).toEqual([transport, expected]);
    }
    const url = `${running.url}/graphql?${new URLSearchParams({ query: document.replaceAll(/\s+/g, ' ') })}`;
    const response = await fetch(url, { headers: { Accept: 'application/json' } });
    expect(await response.text()).toBe(`{"data":${expected}}`);
  }
});

test('gql.tada loads the introspection result', async () => {
  const loaded = await loadFromURL({ url: new URL(`${running.url}/graphql`) }).load();
  expect(loaded.introspection.__schema.types.length).toBe(Object.keys(schema.getTypeMap()).length);
});

test.each([
  '{ __typename }',
  '{ __type(name: "User") { name fields { name type { name kind ofType { name } } } } }',
  '{ __schema { types { name kind description } } }',
  '{ __schema { queryType { fields { name } } mutationType { fields { name args { name } } } } }',
  '{ me { __typename } __schema { queryType { name } } }',
])('a small introspection query is within the limits: %s', async (document) => {
  const { errors = [] } = await graphql(document, {}, anonymous);
  expect(errors.filter(({ extensions }) => extensions?.code === 'BAD_USER_INPUT')).toEqual([]);
});

test('a cached introspection result is never returned for another schema', async () => {
  const namesOf = async () => {
    const { data } = await graphql(getIntrospectionQuery(), {}, apiKey);
    return buildClientSchema(data).getType('Comet')?.toString();
  };
  expect(await namesOf()).toBeUndefined();
  await defineClass('comets', { tail: 'Float' });
  expect(await namesOf()).toBe('Comet');
  await changeClass('comets', { fields: { core: 'String' } });
  expect(JSON.stringify((await graphql(getIntrospectionQuery(), {}, apiKey)).data)).toContain('"core"');
  expect(JSON.stringify((await graphql(getIntrospectionQuery(), {}, anonymous)).data)).not.toContain('Comet');
});
