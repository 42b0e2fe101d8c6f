import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { running, useApp } from '../../../support/app/app.ts';
import { hasBrowser, openPage, useBrowser } from '../../../support/clients/browser.ts';
import { APP, openAs, owner } from '../../../support/clients/console.ts';
import { measureLoad } from '../../../support/clients/page-load.ts';

/** Compressed, as on the network; 48 KB of it are the font. */
const MAX_BYTES = 380_000;

describe.skipIf(!hasBrowser)('the first load of the console', () => {
  useApp();
  useBrowser();

  test('takes at most 380 KB and three round trips to the sign-in', async () => {
    const { page } = await openPage('about:blank');
    const load = await measureLoad(page, `${running.url}/console`, () =>
      page.getByRole('heading', { name: 'Sign in to the console' }).waitFor(),
    );
    expect(load.bytes).toBeGreaterThan(50_000);
    expect(load.bytes).toBeLessThanOrEqual(MAX_BYTES);
    expect(load.roundTrips, load.urls.join('\n')).toBeLessThanOrEqual(3);
  });

  test.each([
    ['the start page', '/console', 'PostgreSQL'],
    ['the users', `${APP}/users`, 'No users yet'],
    ['the figures', `${APP}/overview`, 'Messages per hour'],
  ])('takes at most 380 KB and five round trips to %s', async (_name, path, text) => {
    const { page } = await openAs(await owner(), '/robots.txt');
    const load = await measureLoad(page, running.url + path, () => page.getByText(text).waitFor());
    expect(load.bytes).toBeGreaterThan(50_000);
    expect(load.bytes).toBeLessThanOrEqual(MAX_BYTES);
    expect(load.roundTrips, load.urls.join('\n')).toBeLessThanOrEqual(5);
  });

  test('loads scripts and styles that equal the built files in each coding', async () => {
    const folder = 'packages/console/dist/assets';
    const names = (await readdir(folder)).filter((name) => !name.endsWith('.br'));
    expect(names.length).toBeGreaterThan(50);
    for (const name of names) {
      const response = await fetch(`${running.url}/console/assets/${name}`, { headers: { 'Accept-Encoding': 'br' } });
      expect(response.headers.get('content-encoding')).toBe('br');
      const isEqual = Buffer.from(await response.arrayBuffer()).equals(await readFile(`${folder}/${name}`));
      expect([name, isEqual]).toEqual([name, true]);
    }
  });

  test('runs only scripts of its own files', async () => {
    const response = await fetch(`${running.url}/console`, { headers: { Accept: 'text/html' } });
    const policy = response.headers.get('content-security-policy')!;
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("default-src 'none'");
    expect(await response.text()).not.toMatch(/<script(?![^>]*\bsrc=)|\son\w+=/);
  });
});
