import { expect, test } from 'vitest';
import { running, useApp } from '../../support/app/app.ts';
import { startService } from '../../support/app/service.ts';
import { lockRows } from '../../support/faults/row-lock.ts';
import { signedInAdministrator } from '../../support/fixtures/administrators.ts';
import { currentInstallation, envOf } from '../../support/fixtures/archives.ts';
import { checked, jobIn, PASSPHRASE } from '../../support/fixtures/jobs.ts';

useApp();

const START = `mutation {
  startExport(input: { passphrase: "${PASSPHRASE}" }) { id }
  startCheck { id }
}`;

test('jobs of killed workers are interrupted, and other processes start them again', async () => {
  const at = new Date();
  const owner = await signedInAdministrator('owner');
  // The process has a clock of its own.
  const { db } = await import('../../../src/db/client.ts');
  await db.administratorSession.updateMany({ data: { createdAt: at, seenAt: at, confirmedAt: at } });
  const service = await startService(running.dataDir, { ...envOf(currentInstallation()), WORKERS: '2' });
  const lock = await lockRows(running.database.config, 'LOCK TABLE messages IN ACCESS EXCLUSIVE MODE');
  const response = await fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...owner.headers, Origin: service.url },
    body: JSON.stringify({ query: START }),
  });
  const { data } = (await response.json()) as { data: Record<string, { id: string }> };
  const ids = Object.values(data).map(({ id }) => id);
  expect(ids).toHaveLength(2);
  const here = await signedInAdministrator('owner');
  for (const id of ids) await jobIn(here, id, 'RUNNING');
  await service.kill();
  for (const id of ids) {
    expect(await jobIn(here, id, 'INTERRUPTED')).toMatchObject({
      error: 'The process that ran the job stopped without notice. Start the job again.',
    });
  }
  await lock.release();
  expect(await checked(here)).toMatchObject({ state: 'SUCCEEDED', check: { differences: [] } });
});
