import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { openPage } from './browser.ts';

/** Opens `examples/chat` in a browser of its own and creates an account. */
export async function signUp(
  { url }: { url: string },
  name: string,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const { page } = await openPage(url, options);
  page.setDefaultTimeout(90_000);
  await page.getByRole('button', { name: 'Create an account' }).click();
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Login').fill(name.toLowerCase().replaceAll(' ', '.'));
  await page.getByLabel('Password').fill('correct-horse');
  await page.getByRole('button', { name: 'Sign up' }).click();
  await page.getByRole('heading', { name: 'Chats' }).waitFor();
  return page;
}

export async function startDialog(page: Page, ...names: string[]): Promise<void> {
  await page.getByRole('button', { name: 'New conversation' }).first().click();
  const modal = page.getByRole('dialog');
  for (const name of names) {
    await modal.getByLabel('Find people').fill(name);
    await modal.getByRole('checkbox', { name }).check();
  }
  await modal.getByRole('button', { name: /^(Open|Create a group)/ }).click();
  await page.getByLabel('Message', { exact: true }).waitFor();
}

export async function write(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message', { exact: true }).fill(text);
  await page.keyboard.press('Enter');
}

export const message = (page: Page, text: string): Locator => page.getByRole('article').filter({ hasText: text });
