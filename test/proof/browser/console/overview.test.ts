import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { db } from '../../../../src/db/client.ts';
import { HOUR } from '../../../../src/lib/time.ts';
import { APPLICATION, running, useApp } from '../../../support/app/app.ts';
import { createTenant } from '../../../support/app/other-apps.ts';
import { until } from '../../../support/app/until.ts';
import { hasBrowser, useBrowser } from '../../../support/clients/browser.ts';
import { APP, openAs, owner, stateReason } from '../../../support/clients/console.ts';
import { graphql } from '../../../support/clients/graphql.ts';
import { setReadOnly } from '../../../support/faults/read-only.ts';
import { signedInAdministrator } from '../../../support/fixtures/administrators.ts';
import { storeBlob } from '../../../support/fixtures/blobs.ts';
import { createDialog, send } from '../../../support/fixtures/chat.ts';
import { slowRequest } from '../../../support/fixtures/request-log.ts';
import { apiKey, createUser, createUsers } from '../../../support/fixtures/users.ts';

describe.skipIf(!hasBrowser)('figures in the console', () => {
  useApp();
  useBrowser();

  beforeAll(async () => {
    await storeBlob(await createUser(), 'x'.repeat(2_500));
    const hour = new Date(Math.floor(running.now().getTime() / HOUR) * HOUR);
    await db.activityHour.create({
      data: { applicationId: APPLICATION.id, hour, messages: 56, pushesDelivered: 1_200, pushesFailed: 34 },
    });
    await db.loggedRequest.createMany({
      data: [
        slowRequest(1, { route: '/users/by_full_name.json', durationMs: 4_000 }),
        slowRequest(2, {
          transport: 'graphql',
          route: '/graphql',
          operation: 'NearbyPlaces',
          className: 'Place',
          missingIndex: ['stars'],
          durationMs: 9_000,
        }),
      ],
    });
  });

  test('show files, pushes and the slowest requests, which lead to the log', async () => {
    const { page, problems } = await openAs(await signedInAdministrator('developer'), `${APP}/overview`);
    await page.getByText('2.5 kB').waitFor();
    await page.getByText('1,200 delivered and 34 failed').waitFor();
    const names = page.getByRole('row').locator('[title]').and(page.getByRole('link'));
    await names.first().waitFor();
    expect(await names.allInnerTexts()).toEqual(['NearbyPlaces', '/users/by_full_name.json']);
    await page.getByText('7 days', { exact: true }).click();
    await page.waitForURL(({ searchParams }) => searchParams.get('hours') === '168');
    await names.first().click();
    await page.getByRole('heading', { name: 'Logs' }).waitFor();
    await page.getByText('NearbyPlaces').first().waitFor();
    expect(await page.getByText('by_full_name').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('the number of failed pushes in the navigation opens the failed deliveries', async () => {
    const send = { applicationId: APPLICATION.id, id: 'f'.repeat(24), eventId: 1, recipients: 3, failed: 3 };
    await db.pushSend.create({ data: { ...send, createdAt: running.now(), finishedAt: running.now() } });
    const { page } = await openAs(await signedInAdministrator('developer'), `${APP}/overview`);
    await page.getByRole('link', { name: '3 Failed in the last 24 hours' }).click();
    await page.getByRole('tab', { name: 'Failed deliveries', selected: true }).waitFor();
  });

  test('show requests by outcome and duration', async () => {
    const hour = new Date(Math.floor(running.now().getTime() / HOUR) * HOUR - HOUR);
    const row = { applicationId: APPLICATION.id, hour, succeeded: 4_321, refused: 0, failed: 0 };
    await db.requestFigure.createMany({
      data: [
        { ...row, bucket: 20 },
        { ...row, bucket: 30, succeeded: 0, refused: 300, failed: 7 },
      ],
    });
    const { page, problems } = await openAs(await signedInAdministrator('viewer'), `${APP}/overview`);
    await page.getByText('Half of them took up to 32 ms, 95% up to 198 ms.').waitFor();
    await page.getByText(/2xx, 3xx: 4,3\d\d/).waitFor();
    await page.getByText(/4xx: 3\d\d/).waitFor();
    await page.getByText('5xx: 7').waitFor();
    expect(problems).toEqual([]);
  });

  test('create the index that a slow list lacks', async () => {
    const fields = [{ name: 'stars', type: 'INTEGER' }];
    const define = 'mutation ($input: CreateClassInput!) { createClass(input: $input) { name } }';
    await graphql(define, { input: { name: 'Place', fields } }, apiKey);
    const { page, problems } = await openAs(await signedInAdministrator('developer'), `${APP}/overview`);
    await page.getByRole('button', { name: 'Create an index on stars' }).click();
    await page.getByText('The index on stars is complete.').waitFor();
    const { indexState } = await db.classField.findFirstOrThrow({
      where: { applicationId: APPLICATION.id, name: 'stars' },
    });
    expect(indexState).toBe('ready');
    await page.getByRole('link', { name: 'Place', exact: true }).click();
    await page.getByRole('heading', { name: 'Place' }).waitFor();
    expect(problems).toEqual([]);
  });

  test('compare the period with the one before, and lead to their pages', async () => {
    const earlier = new Date(Math.floor(running.now().getTime() / HOUR) * HOUR - 30 * HOUR);
    await db.activityHour.create({ data: { applicationId: APPLICATION.id, hour: earlier, messages: 28 } });
    const { page, problems } = await openAs(await owner(), `${APP}/overview`);
    const messages = page.getByRole('link', { name: /^Messages/ });
    await messages.getByText('+100% to the period before').waitFor();
    await page.getByRole('link', { name: /^Users\s*\d/ }).click();
    await page.getByRole('heading', { name: 'Users' }).waitFor();
    expect(problems).toEqual([]);
  });

  test('lead a new application to its first steps, and check them off', async () => {
    const { applicationId, key } = await createTenant(1);
    const { page } = await openAs(await owner(), `/console/apps/${applicationId}/overview`);
    const steps = page.locator('.mantine-Card-root', { has: page.getByRole('heading', { name: 'First steps' }) });
    await steps.getByText("/graphql'").waitFor();
    await steps.getByRole('link', { name: 'Create a class' }).waitFor();
    const done = await steps.getByLabel('Done').count();
    await graphql('mutation { createClass(input: { name: "Trip", fields: [] }) { name } }', {}, key);
    await page.reload();
    await expect.poll(() => steps.getByLabel('Done').count()).toBe(done + 1);
    await steps.getByRole('link', { name: 'Send a first message' }).waitFor();
    await steps.getByRole('button', { name: 'Hide the first steps' }).click();
    await page.reload();
    await page.getByText('Messages per hour').first().waitFor();
    expect(await page.getByRole('heading', { name: 'First steps' }).count()).toBe(0);
  });

  test('show the activity of each application on its card', async () => {
    const { page, problems } = await openAs(await owner(), '/console');
    const card = page.locator('.mantine-Card-root', { has: page.getByRole('link', { name: 'test', exact: true }) });
    await card.getByText('Messages, 24 h').waitFor();
    expect(await card.textContent()).toMatch(/Users1Online0Messages, 24 h56$/);
    expect(problems).toEqual([]);
  });

  test('show the size and the free space of the service', async () => {
    const { page, problems } = await openAs(await owner(), '/console');
    await page.getByText('Free disk').waitFor();
    await page.getByText(/^[\d.,]+ .?B of [\d.,]+ .?B$/).waitFor();
    await page.getByText('2.5 kB').waitFor();
    expect(problems).toEqual([]);
  });

  test('show what happens, messages only with a reason', async () => {
    const [alice, bob] = await createUsers(2);
    const dialogId = await createDialog(alice!, [bob!]);
    const { page, problems } = await openAs(await owner(), `${APP}/overview`);
    const card = page.locator('.mantine-Card-root', { has: page.getByRole('heading', { name: 'Live activity' }) });
    await card.getByText('Messages are private').waitFor();
    await card.getByRole('button', { name: 'State a reason' }).click();
    await stateReason(page);
    await card.getByText('Messages are private').waitFor({ state: 'detached' });
    // Until the page listens.
    await until(async () => {
      await send(alice!, dialogId, 'as it happens');
      return (await card.getByText('as it happens').count()) > 0;
    });
    await card.getByText('Signed in, latest activity first').waitFor();
    expect(problems).toEqual([]);
  });

  test('show that the database is read-only', async () => {
    const administrator = await owner();
    await setReadOnly(true);
    onTestFinished(() => setReadOnly(false));
    const { page, problems } = await openAs(administrator, '/console');
    await page.getByText(/^[\d.,]+ .?B, read-only$/).waitFor();
    expect(problems).toEqual([]);
  });
});
