import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';
import { createServer, type ViteDevServer } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { hasBrowser, openPage, useBrowser } from '../../support/clients/browser.ts';

const STORED = join(import.meta.dirname, 'components');
/** With the variable COMPONENTS=renew, the images are stored instead of compared. */
const IS_RENEWED = process.env.COMPONENTS === 'renew';
/** Part of the pixels that may differ: edges of letters, which browsers draw differently. */
const MAX_DIFFERENT = 0.005;
const TIME = new Date('2027-01-15T08:05:00Z');

/** A changed look of a component is noticed here, and its images are renewed on purpose. */
describe.skipIf(!hasBrowser)('the page of components', () => {
  useApp();
  useBrowser();
  let server: ViteDevServer;

  beforeAll(async () => {
    const root = join(import.meta.dirname, '../../../packages/console');
    server = await createServer({
      root,
      configFile: join(root, 'vite.config.ts'),
      server: { port: 0 },
      logLevel: 'error',
    });
    await server.listen();
  });

  afterAll(() => server.close());

  test.each([
    ['desktop-light', 1280, 'light'],
    ['desktop-dark', 1280, 'dark'],
    ['phone-light', 390, 'light'],
    ['phone-dark', 390, 'dark'],
  ] as const)('looks like its stored image: %s', async (name, width, colorScheme) => {
    const address = server.resolvedUrls!.local[0]!.replace('localhost', '127.0.0.1');
    const { page } = await openPage('about:blank', {
      viewport: { width, height: 800 },
      colorScheme,
      reducedMotion: 'reduce',
      locale: 'en-GB',
      timezoneId: 'UTC',
    });
    await page.clock.setFixedTime(TIME);
    await page.goto(`${address}console/-/components`);
    await page.getByRole('heading', { name: 'Chart' }).waitFor();
    await page.waitForLoadState('networkidle');
    await page.evaluate('document.fonts.ready');
    const taken = await page.screenshot({ fullPage: true, animations: 'disabled' });
    const file = join(STORED, `${name}.png`);
    if (IS_RENEWED) {
      await mkdir(STORED, { recursive: true });
      return writeFile(file, taken);
    }
    const [expected, actual] = [PNG.sync.read(await readFile(file)), PNG.sync.read(taken)];
    expect([actual.width, actual.height]).toEqual([expected.width, expected.height]);
    const { height } = expected;
    const difference = new PNG({ width: expected.width, height });
    const count = pixelmatch(expected.data, actual.data, difference.data, expected.width, height, { threshold: 0.2 });
    const part = count / (expected.width * height);
    const seen = join(tmpdir(), `components-${name}.png`);
    if (part > MAX_DIFFERENT) await writeFile(seen, PNG.sync.write(difference));
    expect(part, `differing pixels are red in ${seen}`).toBeLessThanOrEqual(MAX_DIFFERENT);
  });
});
