import { expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { rawRequest } from '../../support/clients/raw-http.ts';

useApp({ isConsoleOn: false });

test('a console that is turned off has no page, and the start page has no link to it', async () => {
  const page = (path: string) => rawRequest('GET', path, { headers: { Accept: 'text/html' } });
  expect((await page('/console')).status).toBe(404);
  expect((await page('/')).text).not.toContain('href="console"');
});
