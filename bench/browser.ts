import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { hashSecret } from '../src/lib/tokens.ts';
import type { Cleanup } from './cleanup.ts';
import { queries, type Seeded } from './seeded.ts';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);

export async function launchBrowser(cleanup: Cleanup): Promise<Browser> {
  if (!CHROMIUM) throw new Error('this benchmark needs Chromium');
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  cleanup.add(() => browser.close());
  return browser;
}

/** Windows of an owner who is signed in to the console. */
export async function signIn(
  browser: Browser,
  { url, databaseUrl }: Pick<Seeded, 'url' | 'databaseUrl'>,
): Promise<BrowserContext> {
  const token = randomBytes(32).toString('base64url');
  await queries(databaseUrl, [
    `WITH person AS (
      INSERT INTO administrators (email, name, password_hash, created_at, updated_at)
      VALUES ('${token.toLowerCase()}@example.com', 'Ada', 'none', now(), now()) RETURNING id),
    role AS (INSERT INTO administrator_roles (administrator_id, role) SELECT id, 'owner' FROM person)
    INSERT INTO administrator_sessions (token_hash, administrator_id, created_at, seen_at, confirmed_at)
    SELECT '${hashSecret(token)}', id, now(), now(), now() FROM person`,
  ]);
  const context = await browser.newContext();
  await context.addCookies([{ name: 'atrium-administrator', value: token, url, httpOnly: true, sameSite: 'Strict' }]);
  await context.addInitScript("sessionStorage.setItem('atrium.console.reason', 'benchmark')");
  return context;
}
