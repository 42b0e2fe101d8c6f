import { buildClientSchema, getIntrospectionQuery } from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema/index.ts';
import { useApp } from '../support/app/app.ts';
import { execute } from '../support/fixtures/chat.ts';
import { described, flawOf } from '../support/fixtures/descriptions.ts';
import { defineClass } from '../support/fixtures/typed-classes.ts';
import { apiKey } from '../support/fixtures/users.ts';

useApp();

const flawsOf = (parts: ReturnType<typeof described>) => parts.map(flawOf).filter((flaw) => flaw !== undefined);

test('every type, field, argument and value of the schema has a description that adds to its name', () => {
  const parts = described(schema);
  expect(parts.length).toBeGreaterThan(1_000);
  expect(flawsOf(parts)).toEqual([]);
});

test('every part of typed class schemas has a description that adds to its name', async () => {
  await defineClass('cars', {
    make: 'String',
    value: 'Integer',
    price: 'Float',
    isOld: 'Boolean',
    built: 'Date',
    place: 'Location',
    photo: 'File',
    tags: '[String]',
    stops: '[Location]',
    owner: 'String',
  });
  const seen = buildClientSchema(await execute(getIntrospectionQuery(), {}, apiKey));
  const parts = described(seen).filter(({ path }) => !schema.getType(path.split('.')[0]!) || /cars?\b/i.test(path));
  const own = ['CarFilter.stops', 'CarOrderField.make', 'Query.cars(where)', 'CarPops.tags', 'Mutation.updateCar(inc)'];
  expect(parts.map(({ path }) => path)).toEqual(expect.arrayContaining(own));
  expect(flawsOf(parts)).toEqual([]);
});

test.each([
  [{ path: 'User.login', description: null }, 'says nothing'],
  [{ path: 'User.login', description: 'Login.' }, 'says too little'],
  [{ path: 'User.login', description: 'The login of the user.' }, 'only says its name'],
  [{ path: 'User.login', description: 'by which the user signs in' }, 'is no sentence'],
  [{ path: 'User.login', description: 'By which the user signs in.' }, undefined],
])('flawOf reports for %j: %s', (part, flaw) => {
  expect(flawOf(part)).toEqual(flaw && expect.stringContaining(flaw));
});
