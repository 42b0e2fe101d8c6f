import { expect, test } from 'vitest';
import { running, useApp } from '../support/app.ts';
import { graphql } from '../support/graphql.ts';
import { changeClass, defineClass } from '../support/typed.ts';
import { apiKey } from '../support/users.ts';

useApp();

const FIELDS = Object.fromEntries(Array.from({ length: 30 }, (_, nth) => [`field${nth}`, 'String']));

test('while the types of many classes are built, timers and other requests go on', async () => {
  for (let nth = 0; nth < 30; nth++) await defineClass(`kind${nth}`, FIELDS);
  let isBuilt = false;
  let turns = 0;
  const count = () => {
    if (isBuilt) return;
    turns++;
    setImmediate(count);
  };
  const built = graphql('{ kind7 { field3 } kind29 { id } }', {}, apiKey).finally(() => {
    isBuilt = true;
  });
  count();
  const other = await fetch(`${running.url}/healthz`);
  expect([other.status, isBuilt]).toEqual([200, false]);
  expect((await built).errors?.[0]?.message).toBeUndefined();
  // Each class is a turn of its own.
  expect(turns).toBeGreaterThan(30);
});

test('requests that come while it is built share one build, and see changes of that time', async () => {
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
