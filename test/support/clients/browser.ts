import { existsSync } from 'node:fs';
import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);

/** Tests with a browser are skipped on machines without Chromium. */
export const hasBrowser = CHROMIUM !== undefined;

let browser: Browser;

export function useBrowser(): void {
  beforeAll(async () => {
    // Chromium has no sandbox as root.
    browser = await chromium.launch({ executablePath: CHROMIUM!, args: ['--no-sandbox'] });
  });
  afterAll(() => browser?.close());
}

export interface OpenedPage {
  page: Page;
  /** Messages of errors in the console of the browser, and addresses of requests to other hosts. */
  problems: string[];
}

/** Opens `url` in a browser without stored data. */
export async function openPage(url: string, options: BrowserContextOptions = {}): Promise<OpenedPage> {
  const context = await browser.newContext(options);
  // Busy machines take long. Shorter than the limit of a test, so that a failure names what did not appear.
  context.setDefaultTimeout(200_000);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (/^(https?|wss?):$/.test(protocol) && origin !== new URL(url).origin) problems.push(request.url());
  });
  await page.goto(url);
  return { page, problems };
}

/** Expects no critical and no serious finding of axe. @param allowed rules that a library breaks */
export async function expectAccessible(page: Page, allowed: string[] = []): Promise<void> {
  // Not as a script element, which the policy of the page forbids.
  await page.evaluate(axe.source);
  const found = await page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run();
    return violations.map(({ id, impact, nodes }) => ({ id, impact, html: nodes.map((node) => node.html) }));
  });
  const severe = found.filter(({ impact }) => impact === 'critical' || impact === 'serious');
  expect(severe.filter(({ id }) => !allowed.includes(id))).toEqual([]);
}

export const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' };
