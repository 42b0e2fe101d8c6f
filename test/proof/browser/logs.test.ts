import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { storeRequests } from '../../../src/administration/request-log/store.ts';
import { type EndedRequest, RequestLog } from '../../../src/platform/observability/request-log.ts';
import { APPLICATION, running, useApp } from '../../support/app/app.ts';
import { until } from '../../support/app/until.ts';
import { expectAccessible, hasBrowser, PHONE, useBrowser } from '../../support/clients/browser.ts';
import { APP, openAs } from '../../support/clients/console.ts';
import {
  signedInAdministrator,
  type TestAdministrator,
  withoutApplication,
} from '../../support/fixtures/administrators.ts';
import { loggedRequest, request } from '../../support/fixtures/request-log.ts';
import { apiKey, createUser, type TestUser } from '../../support/fixtures/users.ts';

const LOGS = `${APP}/logs`;
const NO_USER = `/users/${2 ** 31 - 1}.json`;
const SCRIPT = '<img src=x onerror="window.attacked=1"><script>window.attacked=1</script>';

const ended = (route: string): EndedRequest => ({
  facts: { id: 'old', route, applicationId: APPLICATION.id },
  ms: 1,
  transport: 'rest',
  method: 'GET',
  url: null,
  httpStatus: 418,
  isCutOff: false,
  network: null,
  userAgent: null,
  responseBytes: 0,
});

describe.skipIf(!hasBrowser)('the logs in a browser', () => {
  // No slow requests, because the machine of the test may be.
  useApp({ requestLogSlowMs: 600_000 });
  useBrowser();

  let owner: TestAdministrator;
  let alice: TestUser;
  let missing: string;

  const rows = (page: Page) => page.getByRole('table', { name: 'Requests' }).locator('tbody tr');

  beforeAll(async () => {
    owner = await signedInAdministrator({ applicationId: null, role: 'owner' });
    alice = await createUser();
    missing = await request(NO_USER, { as: alice, headers: { 'User-Agent': 'Shop/7.1 (iPhone; iOS 26)' } });
    await request('/users.json', { as: apiKey, json: { user: {} } });
    const query = 'query Basket { message(id: "0123456789abcdef01234567") { id } me { id } }';
    await request('/graphql', { as: alice, json: { query } });
    await loggedRequest(await request('/graphql', { as: apiKey, json: { query: '{ nothing }' } }), owner);
  });

  test('a failed request appears by itself, pauses and resumes', async () => {
    const { page, problems } = await openAs(owner, `${LOGS}?status=4xx`);
    await page.getByRole('button', { name: 'Basket' }).waitFor();
    await page.getByRole('status').getByText('Live').waitFor();
    const before = await rows(page).count();
    await request(NO_USER, { as: alice });
    await until(async () => (await rows(page).count()) === before + 1);
    await page.keyboard.press('p');
    await page.getByText('Paused').waitFor();
    const later = await request('/blobs/2147483647.json', { as: alice });
    await loggedRequest(later, owner);
    expect(await rows(page).count()).toBe(before + 1);
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'GET /blobs/:id' }).waitFor();
    expect(await rows(page).count()).toBe(before + 2);
    expect(problems).toEqual([]);
  });

  test('filters are in the address and keep their values after a reload', async () => {
    const { page } = await openAs(owner, LOGS);
    await page.getByRole('button', { name: 'Basket' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('createUser');
    await page.waitForURL(/route=createUser/);
    await page.getByRole('button', { name: 'Basket' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'POST /users' }).waitFor();
    expect(await rows(page).count()).toBe(1);
    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: '404' }).click();
    await page.getByText('No request matches').waitFor();
    const { search } = new URL(page.url());
    expect(search).toMatch(/status=404/);
    expect(search).toContain('route=createUser');
    await page.reload();
    expect(await page.getByLabel('Route or operation').inputValue()).toBe('createUser');
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await page.getByRole('button', { name: 'Basket' }).waitFor();
  });

  test('rare filters are behind a button, and the list is sorted by duration', async () => {
    const { page, problems } = await openAs(owner, LOGS);
    await page.getByRole('button', { name: 'Basket' }).waitFor();
    expect(await page.getByLabel('Request id').isVisible()).toBe(false);
    await page.getByRole('button', { name: 'More filters' }).click();
    await page.getByLabel('Request id').fill(missing);
    await page.waitForURL(/id=test/);
    await page.getByRole('button', { name: 'More filters (1)' }).waitFor();
    await page.getByRole('button', { name: 'Duration' }).click();
    await page.waitForURL(/sort=duration/);
    await page.getByRole('columnheader', { name: 'Duration' }).and(page.locator('[aria-sort=descending]')).waitFor();
    await page.getByLabel('Request id').fill('');
    await page.getByRole('button', { name: 'Basket' }).waitFor();
    const texts = await rows(page).locator('td:nth-child(3)').allInnerTexts();
    const durations = texts.map((text) => Number.parseFloat(text) * (text.endsWith(' s') ? 1000 : 1));
    expect(durations).toEqual([...durations].sort((a, b) => b - a));
    await expectAccessible(page);
    expect(problems).toEqual([]);
  });

  test('a link with a request id opens its details, which lead to the user', async () => {
    const { page } = await openAs(owner, `${LOGS}?request=${missing}`);
    const details = page.getByRole('dialog', { name: 'Request' });
    for (const text of ['GET /users/:id', 'The user was not found', 'Shop/7.1 (iPhone; iOS 26)', '127.0.0.1']) {
      await details.getByText(text).first().waitFor();
    }
    await expectAccessible(page);
    await details.getByRole('link', { name: `User ${alice.id}` }).click();
    await page.getByText('Custom data').first().waitFor();
    await page.goBack();
    await details.waitFor();
    await page.keyboard.press('Escape');
    await details.waitFor({ state: 'hidden' });
    expect(new URL(page.url()).search).toBe('');
    await rows(page).first().waitFor();
    await page.keyboard.press('j');
    await page.locator('.row-link:focus').waitFor();
    await page.keyboard.press('Enter');
    await details.waitFor();
    expect(new URL(page.url()).search).toMatch(/^\?request=test-\d+$/);
  });

  test('an unknown id and an empty log say what belongs there', async () => {
    const { page } = await openAs(owner, `${LOGS}?request=none`);
    await page.getByText('No such request').waitFor();
    const other = await openAs(owner, `${LOGS}?id=none`);
    await other.page.getByText('No request matches').waitFor();
  });

  test.each([
    ['on a desktop', {}],
    ['on a desktop in the dark', { colorScheme: 'dark' as const }],
    ['on a phone', { ...PHONE, colorScheme: 'light' as const }],
    ['on a phone in the dark', PHONE],
  ])('the pages are accessible and fit their window %s', async (name, options) => {
    for (const [path, text] of [
      [LOGS, 'Basket'],
      [`${LOGS}?request=${missing}`, 'Root fields'],
      ['/console/logs', 'Service logs'],
    ] as const) {
      const { page, problems } = await openAs(owner, path, options);
      await page.getByText(text).last().waitFor();
      await expectAccessible(page);
      const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
      expect([path, isWide, problems]).toEqual([path, false, []]);
      const folder = process.env.SCREENSHOTS;
      if (folder) await page.screenshot({ path: `${folder}/${name}-${path.replace(/\W+/g, '-')}.png` });
      await page.context().close();
    }
  });

  test('requests without an application are a page for owners of all', async () => {
    const id = await request(`/user/17/${'a1b2'.repeat(8)}`);
    await loggedRequest(id, withoutApplication(owner));
    const { page } = await openAs(owner, '/console/');
    await page.getByRole('heading', { name: 'Applications' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search' }).fill('service logs');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'GET /user/:number/…' }).waitFor();
    const developer = await signedInAdministrator('developer');
    const their = await openAs(developer, LOGS);
    await their.page.getByRole('button', { name: 'Basket' }).waitFor();
    expect(await their.page.getByRole('link', { name: 'Service logs' }).count()).toBe(0);
    const support = await signedInAdministrator('support');
    const refused = await openAs(support, LOGS);
    await refused.page.getByText('Your role does not allow this operation').first().waitFor();
    expect(await refused.page.getByRole('link', { name: 'Logs', exact: true }).count()).toBe(0);
  });

  test('markup in every text that a client can choose is shown as text', async () => {
    const header = { 'User-Agent': SCRIPT };
    const query = `query Attack { user(id: "${SCRIPT.replaceAll('"', '\\"')}") { id } }`;
    const ids = [
      await request(`/graphql`, { as: alice, headers: header, json: { query } }),
      await request(NO_USER, { as: alice, headers: header }),
      await request('/users.json', {
        as: apiKey,
        headers: header,
        json: { user: { login: SCRIPT, [SCRIPT]: SCRIPT } },
      }),
    ];
    for (const id of ids) await loggedRequest(id, owner);
    const lost = await request(`/${encodeURIComponent(SCRIPT)}/x?a=${encodeURIComponent(SCRIPT)}`, { headers: header });
    await loggedRequest(lost, withoutApplication(owner));
    for (const [path, id] of [...ids.map((id) => [LOGS, id] as const), ['/console/logs', lost] as const]) {
      const { page, problems } = await openAs(owner, `${path}?request=${id}`);
      await page.getByRole('dialog').getByText('<img src=x').first().waitFor();
      expect(await page.evaluate('window.attacked ?? document.querySelectorAll("img[src=x]").length')).toBe(0);
      expect(problems).toEqual([]);
      await page.context().close();
    }
    const { page } = await openAs(
      owner,
      `${LOGS}?route=${encodeURIComponent(SCRIPT)}&id=${encodeURIComponent(SCRIPT)}`,
    );
    await page.getByText('No request matches').waitFor();
    expect(await page.evaluate('window.attacked')).toBeUndefined();
  });

  test('a request that is logged while older ones load is shown, once', async () => {
    const log = new RequestLog(600_000, running.now);
    for (let nth = 0; nth < 60; nth++) log.add(ended(`/old/${nth}`));
    await storeRequests(log.take());
    const { page, problems } = await openAs(owner, '/console/');
    let release: () => void = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isHeld = false;
    await page.route('**/graphql', async (route) => {
      if (/requestLog.*"after":"/s.test(route.request().postData() ?? '')) {
        isHeld = true;
        await released;
      }
      await route.continue();
    });
    await page.goto(`${running.url}${LOGS}`);
    await page.getByRole('button', { name: 'GET /old/59' }).waitFor();
    const scrollTo = (place: number) => page.evaluate(`scrollTo(0, ${place})`);
    await scrollTo(100_000);
    await until(() => isHeld);
    const id = await request('/blobs/2147483647.json', { as: alice });
    await scrollTo(0);
    await page.getByTitle(id).waitFor();
    release();
    await until(async () => {
      await scrollTo(100_000);
      return (await page.getByRole('button', { name: 'Basket' }).count()) === 1;
    });
    await scrollTo(0);
    await page.getByTitle(id).waitFor();
    expect(await page.getByTitle(id).count()).toBe(1);
    expect(problems).toEqual([]);
  });
});
