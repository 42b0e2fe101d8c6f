import { readdir, readFile } from 'node:fs/promises';
import { generateMessageId } from '@lingui/message-utils/generateMessageId';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { running, useApp } from '../../../support/app/app.ts';
import { hasBrowser, openPage, PHONE, useBrowser } from '../../../support/clients/browser.ts';
import { openAs, owner } from '../../../support/clients/console.ts';
import { createConsoleData } from '../../../support/fixtures/console-data.ts';
import { consolePages } from '../../../support/fixtures/console-pages.ts';

/** Names that are the same in every language. */
const NAMES =
  /https?:\S+|\b(true|false|bytes?|ms|Atrium|GraphQL|REST|Node\.js|PostgreSQL|HTML|JSON|Id|SHA-256|Ctrl|KB|MB|GB|TB)\b/g;

/** The pseudo-locale, in which every letter of a text has an accent. */
const PSEUDO = { ...PHONE, locale: 'en-XA' };

/** Writes a text as the pseudo-locale does. Its letters are found by comparing both catalogs. */
async function pseudoLetters(): Promise<(text: string) => string> {
  const folder = 'packages/console/dist/assets';
  const name = (await readdir(folder)).find((file) => /^en-.*\.js$/.test(file))!;
  const { messages } = (await import(`${process.cwd()}/${folder}/${name}`)) as { messages: Record<string, string[]> };
  const catalog = await readFile('packages/console/locales/en.po', 'utf8');
  const letters = new Map<string, string>();
  for (const [, source] of catalog.matchAll(/^msgid "([^"\\{<]+)"$/gm)) {
    const shown = messages[generateMessageId(source!)]![0]!;
    for (const [index, letter] of [...source!].entries()) letters.set(letter, [...shown][index]!);
  }
  return (text) => text.replaceAll(/./gu, (letter) => letters.get(letter) ?? letter);
}

/** Remembers words of answers, which are data and not texts of the console. */
function wordsOfAnswers(page: Page) {
  const bodies: Promise<string>[] = [];
  page.on('response', (response) => {
    if (!response.url().endsWith('/graphql') || response.request().method() !== 'POST') return;
    // The browser discards responses that arrive while the page is left; nothing shows them.
    bodies.push(response.text().catch(() => '{}'));
  });
  return async () => {
    const values: string[] = [];
    for (const body of await Promise.all(bodies)) {
      JSON.parse(body, (key, value) => {
        if (typeof value === 'string') values.push(value);
        // Fields of changed rows are data, too.
        else if (value && (key === 'before' || key === 'after')) values.push(...Object.keys(value));
        return value;
      });
    }
    // The audit log shows stored names like `RecordClass` as words.
    return new Set(values.flatMap((value) => [...wordsOf(value), ...wordsOf(apart(value))]));
  };
}

const apart = (name: string) => name.replaceAll(/\B[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();

/** `Intl` writes lists in the language of the browser, not in that of the catalog: `and`. */
const LIST_WORDS = new Intl.ListFormat('en').formatToParts(['', '']).flatMap(({ value }) => value.trim() || []);

const wordsOf = (text: string) => text.replaceAll(NAMES, '').match(/\b[A-Za-z][a-z]+\b/g) ?? [];

/** Texts that are visible or read aloud, except for code and times. */
function textsOf(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const texts: string[] = [];
    for (const element of document.body.querySelectorAll('*')) {
      if (element.closest('noscript, code, pre, time, script, style, textarea, .cm-editor, .explorer-tabs li, .u-wrap'))
        continue;
      for (const node of element.childNodes) if (node.nodeType === Node.TEXT_NODE) texts.push(node.textContent!);
      for (const name of ['aria-label', 'placeholder', 'title', 'alt']) texts.push(element.getAttribute(name) ?? '');
    }
    return texts;
  });
}

function isWideWithLongWords(): boolean {
  const style = new CSSStyleSheet();
  style.replaceSync('* { letter-spacing: 0.2em }');
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, style];
  return document.documentElement.scrollWidth > innerWidth;
}

describe.skipIf(!hasBrowser)('another language', () => {
  useApp();
  useBrowser();

  test('translates every text of every page, and long words fit a phone', async () => {
    const pages = Object.entries(consolePages(await createConsoleData()));
    const signedIn = await openAs(await owner(), '/favicon.svg', PSEUDO);
    const visitor = await openPage(`${running.url}/favicon.svg`, PSEUDO);
    const translated = await pseudoLetters();
    const untranslated: string[] = [];
    const words = wordsOfAnswers(signedIn.page);
    for (const [route, { address, text, isPublic, needsReason }] of pages) {
      const { page } = isPublic ? visitor : signedIn;
      await page.goto('about:blank');
      await page.goto(running.url + address);
      const content = page
        .getByText(text)
        .or(page.getByText(translated(text)))
        .first();
      const question = page.getByLabel(translated('Reason'));
      if (needsReason) await content.or(question).first().waitFor();
      if (needsReason && (await question.isVisible())) {
        await question.fill('ticket 7');
        await page.getByRole('button', { name: translated('Continue') }).click();
      }
      await content.waitFor();
      const texts = await textsOf(page);
      const data = await words();
      untranslated.push(
        ...texts
          .filter((one) => wordsOf(one).some((word) => !data.has(word) && !LIST_WORDS.includes(word)))
          .map((one) => `${route}: ${one}`),
      );
      const isWide = await page.evaluate(isWideWithLongWords);
      expect([route, isWide]).toEqual([route, false]);
    }
    expect(untranslated).toEqual([]);
  });
});
