import { type GraphQLObjectType, validateSchema } from 'graphql';
import { expect, test } from 'vitest';
import type { Catalogue, ClassDefinition } from '../../../src/resolvers/classes/catalogue.ts';
import { buildSchema } from '../../../src/schema/typed/build.ts';
import { useApp } from '../../support/app/app.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { changeClass, defineClass } from '../../support/fixtures/typed-classes.ts';
import { apiKey } from '../../support/fixtures/users.ts';

useApp();

const classOf = (key: number, names: string[]) =>
  ({
    key,
    name: `sort${key}`,
    fields: new Map(
      names.map((name) => [name, { name, type: 'String', isArray: false, isRequired: false, isUnique: false }]),
    ),
  }) as unknown as ClassDefinition;

const catalogueOf = (classes: ClassDefinition[]) =>
  ({ byKey: new Map(classes.map((one) => [one.key, one])) }) as unknown as Catalogue;

async function turnsUntil(promise: Promise<unknown>): Promise<number> {
  let isSettled = false;
  let turns = 0;
  const count = () => {
    turns++;
    if (!isSettled) setImmediate(count);
  };
  setImmediate(count);
  await promise.finally(() => {
    isSettled = true;
  });
  return turns;
}

test('a schema build yields to the event loop after each class and reuses unchanged classes', async () => {
  const classes = Array.from({ length: 30 }, (_, nth) => classOf(nth + 1, ['a', 'b']));
  const building = buildSchema(catalogueOf(classes));
  expect(await turnsUntil(building)).toBeGreaterThanOrEqual(29);
  const before = await building;
  classes[7] = classOf(8, ['a', 'c']);
  const after = await buildSchema(catalogueOf(classes), before);
  const reused = [...after.parts.values()].filter((part) => [...before.parts.values()].includes(part));
  expect([after.parts.size, reused.length]).toEqual([30, 29]);
  expect(Object.keys((after.schema.getType('Sort8') as GraphQLObjectType).getFields())).toContain('c');
  expect(validateSchema(after.schema)).toEqual([]);
});

test('concurrent requests share one build and see class changes made during it', async () => {
  for (const name of ['kind3', 'kind4']) await defineClass(name, { early: 'String' });
  const answers = await Promise.all(
    Array.from({ length: 20 }, async (_, nth) => {
      if (nth === 10) await changeClass('kind3', { fields: { late: 'Integer' } });
      return graphql(
        nth < 10 ? '{ __type(name: "Kind3") { name } }' : '{ __type(name: "Kind4") { name } }',
        {},
        apiKey,
      );
    }),
  );
  for (const { errors } of answers) expect(errors).toBeUndefined();
  expect((await graphql('{ __type(name: "Kind3") { fields { name } } }', {}, apiKey)).data.__type.fields) //
    .toContainEqual({ name: 'late' });
});
