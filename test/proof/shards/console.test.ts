import { expect, test } from 'vitest';
import { APPLICATION, running, useApp } from '../../support/app/app.ts';
import { closeDatabase, createShards } from '../../support/app/database.ts';
import { until } from '../../support/app/until.ts';
import { owner } from '../../support/clients/console.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { withoutApplication } from '../../support/fixtures/administrators.ts';
import { createOtherApplication } from '../../support/fixtures/applications.ts';

useApp({ database: createShards });

test('while a database is away, the console lists the applications of the others', async () => {
  const [first, second] = [await createOtherApplication('first'), await createOtherApplication('second')];
  const administrator = withoutApplication(await owner());
  const listed = async () => {
    const { data } = await graphql('{ applications { id } serviceStatus { databaseBytes } }', {}, administrator);
    return data?.applications.map(({ id }: { id: number }) => id);
  };
  expect(await listed()).toEqual([APPLICATION.id, first.id, second.id]);
  const open = await closeDatabase(running.database.shards![second.id % 3]!);
  try {
    await until(async () => (await listed())?.length === 2);
    expect(await listed()).toEqual([APPLICATION.id, first.id]);
  } finally {
    await open();
  }
  await until(async () => (await listed())?.length === 3);
});
