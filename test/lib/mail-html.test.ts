import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { MAIL_LOOK, mailHtml } from '../../src/lib/mail-html.ts';

const read = async (path: string) =>
  (await readFile(new URL(`../../packages/${path}`, import.meta.url), 'utf8')) as string;

test('mails have the colors, font and radius of the pages', async () => {
  const colors = await read('chat-ui/src/colors.css');
  const tokens = await read('console/src/tokens.css');
  for (const [name, light] of Object.entries(MAIL_LOOK.light)) {
    const dark = MAIL_LOOK.dark[name as keyof typeof MAIL_LOOK.dark];
    const token = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    expect(colors).toContain(`--${token}: light-dark(${light}, ${dark});`);
  }
  expect(colors).toContain(`--radius: ${MAIL_LOOK.radius};`);
  expect(tokens).toContain(`--font: ${MAIL_LOOK.font.replaceAll("'", '"')};`);
});

test('a mail has paragraphs, a list, and one link, and shows texts of people as text', () => {
  const link = 'https://example.org/reset?a=1&b=2';
  const text = `Hello,\n\nthe account <b>ada</b>\nof https://evil.example\n\n${link}\n\nhttps://evil.example\n\n- one\n- two\n`;
  const html = mailHtml(text, link);
  expect(html).toContain('the account &lt;b&gt;ada&lt;/b&gt; of https://evil.example</p>');
  expect(html).toContain('- one<br>- two');
  expect(html.match(/href="[^"]*"/g)).toEqual(['href="https://example.org/reset?a=1&amp;b=2"']);
  expect(html).toContain('prefers-color-scheme: dark');
});
