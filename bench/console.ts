import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchBrowser, signIn } from './browser.ts';
import type { Cleanup } from './cleanup.ts';
import type { Comparison, Figures } from './comparison.ts';
import type { Environment } from './environment.ts';
import { type SeededDialog, startSeededDialog } from './seeded-dialog.ts';
import { carsOf, FEW, MANY, startSeededRecords } from './seeded-records.ts';
import { APPLICATION } from './service.ts';

/** Pages that are loaded while the reader scrolls, and rows of each. */
const PAGES = 20;
const PAGE = 50;

const WHEEL_STEPS = 120;
const WHEEL_PX = 400;

/** 10 Mbit/s with the latency of a mobile network. */
const SLOW = { offline: false, latency: 40, downloadThroughput: 1_250_000, uploadThroughput: 1_250_000 };

export async function console({ serviceUrl, cleanup }: Environment): Promise<Comparison[]> {
  const browser = await launchBrowser(cleanup);
  const bytes = await sizeOf(browser, serviceUrl);
  const bareUrl = await startStatic(bytes, cleanup);
  const note = () => 'console – the baseline is a static page of as many bytes';
  const comparison = (name: string, isSlow: boolean): Comparison => ({
    name,
    service: () => load(browser, `${serviceUrl}/console`, isSlow),
    bare: () => load(browser, bareUrl, isSlow),
    note,
  });
  return [
    comparison('console: first load until interactive', false),
    comparison('console: first load until interactive, 10 Mbit/s', true),
  ];
}

/** With an empty cache, until the first input can be used. */
async function load(browser: Browser, url: string, isSlow: boolean): Promise<Figures> {
  const context = await browser.newContext();
  const page = await context.newPage();
  if (isSlow) {
    const protocol = await context.newCDPSession(page);
    await protocol.send('Network.enable');
    await protocol.send('Network.emulateNetworkConditions', SLOW);
  }
  const began = performance.now();
  await page.goto(url, { waitUntil: 'commit' });
  await page.locator('input').first().fill('ada@example.com');
  const ms = performance.now() - began;
  await context.close();
  return { ms };
}

async function sizeOf(browser: Browser, serviceUrl: string): Promise<number> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const protocol = await context.newCDPSession(page);
  await protocol.send('Network.enable');
  let bytes = 0;
  protocol.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await page.goto(`${serviceUrl}/console`);
  await page.locator('input').first().waitFor();
  await context.close();
  return bytes;
}

/** One page with one input, and a comment of the other bytes. */
async function startStatic(bytes: number, cleanup: Cleanup): Promise<string> {
  const html = `<!doctype html><title>static</title><!-- ${'x'.repeat(bytes)} --><input aria-label="Email address">`;
  const server = createServer((_request, response) => response.setHeader('Content-Type', 'text/html').end(html));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.add(async () => {
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export async function consoleLists(environment: Environment): Promise<Comparison[]> {
  const browser = await launchBrowser(environment.cleanup);
  return [...(await grids(browser, environment)), ...(await dialogs(browser, environment))];
}

async function grids(browser: Browser, environment: Environment): Promise<Comparison[]> {
  const seeded = await startSeededRecords(environment);
  const context = await signIn(browser, seeded);
  const read = (size: number) => () =>
    scroll(context, `${seeded.url}/console/apps/${APPLICATION.id}/data/${carsOf(size)}`, {
      first: (page) => page.locator('[data-cell="0:0"]').focus(),
      reached: (page) => page.evaluate(() => Number([...document.querySelectorAll('tbody tr')].at(-1)?.ariaRowIndex)),
      key: 'Control+End',
    });
  return [
    {
      name: 'console: a class of 1,000 : 1,000,000 records',
      service: read(MANY),
      bare: read(FEW),
      note: () => GROWTH,
    },
  ];
}

async function dialogs(browser: Browser, environment: Environment): Promise<Comparison[]> {
  const [few, many] = [await startSeededDialog(FEW, environment), await startSeededDialog(MANY, environment)];
  const reader = async (seeded: SeededDialog) => {
    const context = await signIn(browser, seeded);
    return () =>
      scroll(context, `${seeded.url}/console/apps/${APPLICATION.id}/dialogs/${seeded.dialogId}`, {
        first: (page) => message(page, seeded.size).waitFor(),
        reached: async (page) => seeded.size - (await firstMessage(page)) + 1,
        key: 'Home',
      });
  };
  return [
    {
      name: 'console: a dialog of 1,000 : 1,000,000 messages',
      service: await reader(many),
      bare: await reader(few),
      note: () => GROWTH,
    },
  ];
}

const message = (page: Page, seq: number) => page.getByText(`Message number ${seq} of a long dialog`);

/** Number of the earliest message that is shown. */
function firstMessage(page: Page): Promise<number> {
  return page.evaluate(() =>
    Math.min(...Array.from(document.body.textContent.matchAll(/Message number (\d+) of/g), ([, seq]) => Number(seq))),
  );
}

const GROWTH =
  'console, size – the service column is the long one, the bare column the short one: the ratio is the growth. ms until ' +
  `the first rows, and of scrolling through ${PAGES} pages of ${PAGE}`;

interface List {
  first: (page: Page) => Promise<void>;
  /** Number of the farthest row that is shown. */
  reached: (page: Page) => Promise<number>;
  /** Scrolls to the end of what is loaded. */
  key: 'Home' | 'Control+End';
}

async function scroll(context: BrowserContext, url: string, { first, reached, key }: List): Promise<Figures> {
  const page = await context.newPage();
  page.setDefaultTimeout(0);
  const began = performance.now();
  await page.goto(url);
  await first(page);
  const shown = performance.now();
  // Again and again, because the end moves when a page has been loaded.
  do {
    await page.keyboard.press(key);
    await page.evaluate(() => new Promise((painted) => requestAnimationFrame(painted)));
  } while (!((await reached(page)) >= PAGES * PAGE));
  const ended = performance.now();
  const frames = await framesOf(page);
  await page.close();
  return {
    'ms to the first rows': shown - began,
    [`ms of ${PAGES} pages`]: ended - shown,
    'ms p95 of frames': frames,
  };
}

/** A text, because the compiler would add a call to a helper that the page does not have. */
const RECORD_FRAMES = `
  globalThis.deltas = [];
  let last = performance.now();
  requestAnimationFrame(function next(now) {
    deltas.push(now - last);
    last = now;
    requestAnimationFrame(next);
  });`;

/** Of wheel scrolling through what is loaded. */
async function framesOf(page: Page): Promise<number> {
  await page.evaluate(RECORD_FRAMES);
  const { width, height } = page.viewportSize()!;
  await page.mouse.move(width * 0.6, height * 0.7);
  for (let step = 0; step < WHEEL_STEPS; step++) {
    await page.mouse.wheel(0, step < WHEEL_STEPS / 2 ? -WHEEL_PX : WHEEL_PX);
    await page.evaluate(() => new Promise((painted) => requestAnimationFrame(painted)));
  }
  const deltas = await page.evaluate(() => (globalThis as unknown as { deltas: number[] }).deltas);
  return deltas.toSorted((one, other) => one - other)[Math.floor(deltas.length * 0.95)]!;
}
