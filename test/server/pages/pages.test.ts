import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { Health } from '../../../src/platform/observability/health.ts';
import { homePage } from '../../../src/server/pages/home.ts';
import { running, useApp } from '../../support/app/app.ts';
import { rawRequest } from '../../support/clients/raw-http.ts';
import { addressesIn, BROWSER, page } from '../../support/clients/web-pages.ts';
import { apiKey } from '../../support/fixtures/users.ts';

useApp();

describe('the start page', () => {
  test('/ is a page for browsers, whose links all work', async () => {
    const { status, headers, text } = await page('/');
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const addresses = addressesIn(text).filter((address) => !address.startsWith('data:'));
    expect(addresses).toEqual(expect.arrayContaining(['graphql', 'docs', 'guides', 'openapi.json']));
    for (const address of new Set(addresses)) {
      const target = await page(new URL(address, 'http://page/').pathname);
      expect([address, target.status]).toEqual([address, 200]);
    }
  });

  test('/ shows the version, and that the service is ready', async () => {
    const { text } = await page('/');
    expect(text).toContain('<strong class="good">Ready</strong>');
    expect(text).toContain('version 0.2.0');
  });

  test('/ says why the service is not ready, like /readyz', async () => {
    const health = new Health(async () => 'read-only');
    health.isServing = true;
    const reason = await health.readiness();
    const { bytes } = await homePage({ isConsoleOn: false }, reason);
    expect(bytes.toString()).toContain(`<strong class="bad">Unavailable</strong>: ${reason}`);
    expect(bytes.toString()).not.toContain('href="console"');
  });

  test.each(['application/json', '*/*', undefined])('/ is the JSON error for Accept: %s', async (accept) => {
    const { status, text } = await rawRequest('GET', '/', { headers: accept === undefined ? {} : { Accept: accept } });
    expect([status, text]).toEqual([404, `{"errors":["The resource wasn't found"]}`]);
  });

  test('an unknown address is a page for browsers, and the JSON error for others', async () => {
    const { status, headers, text } = await page('/nothing/here');
    expect([status, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(addressesIn(text)).toContain('../docs');
    const json = await rawRequest('GET', '/nothing/here');
    expect([json.status, json.text]).toEqual([404, `{"errors":["The resource wasn't found"]}`]);
  });

  test.each(['/console', '/console/apps/1/users'])('%s is the console', async (path) => {
    const { status, headers, text } = await page(path);
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers['content-security-policy']).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    expect(headers['content-security-policy']).not.toMatch(/script-src[^;]*unsafe/);
    expect(text).toContain('<div id="console">');
  });

  test('endpoints respond to browsers with JSON', async () => {
    const { headers } = await page('/users.json');
    expect(headers['content-type']).toContain('application/json');
  });

  test.each([
    ['/robots.txt', 'text/plain; charset=utf-8', 'Disallow: /'],
    ['/favicon.svg', 'image/svg+xml', '<svg'],
    ['/favicon.ico', 'image/svg+xml', '<svg'],
  ])('%s is served', async (path, type, content) => {
    const { status, headers, text } = await rawRequest('GET', path);
    expect([status, headers['content-type']]).toEqual([200, type]);
    expect(text).toContain(content);
  });

  test.each([
    ['/graphql/', '../graphql'],
    ['/guides/', '../guides'],
    ['/reset-password/', '../reset-password'],
  ])('%s leads browsers to the page', async (path, target) => {
    const { status, headers } = await page(path);
    expect([status, headers.location]).toEqual([308, target]);
  });
});

describe('the explorer', () => {
  const explorer = () => rawRequest('GET', '/graphql', { headers: { ...BROWSER, ...apiKey.headers } });

  test('row 45: the explorer loads only files of the service', async () => {
    const { status, text } = await explorer();
    expect(status).toBe(200);
    expect(text).not.toMatch(/https?:|src="\/\/|<script>/);
    expect(addressesIn(text).filter((address) => address.startsWith('console/assets/'))).not.toEqual([]);
  });

  test('row 7: the explorer contains no credentials', async () => {
    expect((await explorer()).text).not.toContain('KEY');
  });

  test('the explorer runs only its own scripts, connects only to its own server, and cannot be framed', async () => {
    const { headers } = await explorer();
    const policy = String(headers['content-security-policy']).split('; ');
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
      ]),
    );
    expect(headers).toMatchObject({
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      vary: 'Accept, Accept-Encoding',
    });
    const answer = await fetch(`${running.url}/graphql?query={__typename}`);
    expect(answer.headers.get('content-security-policy')).toBeNull();
  });

  test('the files of the explorer have at most 700 KB compressed, and never change', async () => {
    const { text } = await explorer();
    const loaded = new Set<string>();
    const waiting = addressesIn(text).filter((address) => address.startsWith('console/assets/'));
    let bytes = 0;
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (loaded.has(path)) continue;
      loaded.add(path);
      const { status, headers, text } = await rawRequest('GET', `/${path}`);
      expect([path, status, headers['cache-control']]).toEqual([path, 200, 'public, max-age=31536000, immutable']);
      bytes += gzipSync(text).length;
      waiting.push(
        ...[...text.matchAll(/["'`]\.\/([\w-]+\.(?:js|css))["'`]/g)].map(([, name]) => `console/assets/${name}`),
      );
    }
    expect(loaded.size).toBeGreaterThan(10);
    expect(bytes).toBeLessThan(700_000);
  });

  test('the page revalidates by ETag', async () => {
    const { headers } = await explorer();
    const again = await rawRequest('GET', '/graphql', { headers: { ...BROWSER, 'If-None-Match': headers.etag! } });
    expect([again.status, again.text]).toEqual([304, '']);
  });
});
