import { expect, test } from 'vitest';
import { CREATING, ENDPOINTS } from './support/operations/contract.ts';
import { operations } from './support/operations/index.ts';
import { nameOf, operationIdOf, routes } from './support/operations/routes.ts';

/** Endpoints that never refuse a caller, with the reason. */
const NEVER_REFUSED: Record<string, string> = {
  'get /account_settings': 'it asks for no caller and no parameter',
};

test('the registry has one entry for every route, with an example of success and one of refusal', () => {
  const names = routes.map(nameOf).sort();
  expect(operations.map(({ name }) => name).sort()).toEqual(names);
  const withExample = (isServed: boolean) =>
    operations.filter(({ examples }) => examples.some((one) => one.isServed === isServed)).map(({ name }) => name);
  expect(withExample(true).sort()).toEqual(names);
  expect(withExample(false).sort()).toEqual(names.filter((name) => !(name in NEVER_REFUSED)));
});

test('endpoints have the ids and the statuses of the contract', () => {
  expect(routes.map(operationIdOf).sort()).toEqual(ENDPOINTS);
  const created = routes.filter(({ docs }) => docs.status === 201);
  expect(created.map(operationIdOf).sort()).toEqual(CREATING);
});
