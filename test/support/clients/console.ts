import type { BrowserContextOptions, Page } from 'playwright-core';
import { db } from '../../../src/db/client.ts';
import { hashPassword } from '../../../src/resolvers/users/passwords.ts';
import { APPLICATION, running } from '../app/app.ts';
import { PASSWORD, signedInAdministrator, type TestAdministrator } from '../fixtures/administrators.ts';
import { type OpenedPage, openPage } from './browser.ts';

/** Pages of the application of the tests. */
export const APP = `/console/apps/${APPLICATION.id}`;

/** An owner of all applications who is signed in. */
export const owner = () => signedInAdministrator({ applicationId: null, role: 'owner' });

/** Opens a page as an administrator who is signed in. */
export function openAs(
  administrator: Pick<TestAdministrator, 'cookie'>,
  path: string,
  options: BrowserContextOptions = {},
  url = running.url,
): Promise<OpenedPage> {
  const [name, value] = administrator.cookie.split('=') as [string, string];
  const cookie = { name, value, domain: '127.0.0.1', path: '/', expires: -1, httpOnly: true, secure: false };
  const storageState = { cookies: [{ ...cookie, sameSite: 'Strict' as const }], origins: [] };
  return openPage(`${url}${path}`, { storageState, ...options });
}

/** Answers the question why messages are read. */
export async function stateReason(page: Page): Promise<void> {
  await page.getByLabel('Reason').fill('ticket 7');
  await page.getByRole('button', { name: 'Continue' }).click();
}

/** Chooses a rare action from the menu in the header of the page. */
export async function choose(page: Page, action: string): Promise<void> {
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

/** Paths of all routes of the console that show a page, as its router knows them, for example `/apps/$application/users`. */
export async function routesOf(page: Page): Promise<string[]> {
  const routes: [path: string, hasPage: boolean][] = await page.evaluate(() => {
    const { routesByPath } = (
      globalThis as unknown as {
        __TSR_ROUTER__: { routesByPath: Record<string, { fullPath: string; options: { component?: unknown } }> };
      }
    ).__TSR_ROUTER__;
    return Object.values(routesByPath).map(({ fullPath, options }) => [fullPath, options.component !== undefined]);
  });
  return routes.flatMap(([path, hasPage]) => (hasPage ? [path] : [])).sort();
}

/** So that the administrator can sign in, or confirm an operation, with `PASSWORD`. */
export async function givePassword({ id }: TestAdministrator): Promise<void> {
  await db.administrator.update({ where: { id }, data: { passwordHash: await hashPassword(PASSWORD) } });
}
