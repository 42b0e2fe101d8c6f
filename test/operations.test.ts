import { expect, test } from 'vitest';
import { operations } from './support/operations/index.ts';
import { nameOf, routes } from './support/operations/routes.ts';

/** Endpoints that never refuse a caller, with the reason. */
const NEVER_REFUSED: Record<string, string> = {
  'get /account_settings': 'it asks for no caller and no parameter',
};

test('the registry has one entry for every route, with an example of success and one of refusal', () => {
  const names = routes.map(nameOf).sort();
  expect(operations.map(({ name }) => name).sort()).toEqual(names);
  const withExample = (isServed: boolean) =>
    operations.flatMap(({ name, examples }) => examples.filter((one) => one.isServed === isServed).map(() => name));
  expect(withExample(true).sort()).toEqual(names);
  expect(withExample(false).sort()).toEqual(names.filter((name) => !(name in NEVER_REFUSED)));
});
