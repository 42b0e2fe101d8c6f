import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { parse, validate } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { schema } from '../../../src/schema/index.ts';
import { useApp } from '../../support/app/app.ts';
import { rawRequest } from '../../support/clients/raw-http.ts';
import { addressesIn, page } from '../../support/clients/web-pages.ts';

type Answer = Awaited<ReturnType<typeof page>>;

useApp();

const BUILT_IN = ['Boolean', 'Float', 'ID', 'Int', 'String'];

const documents = readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md'));

describe('the guides', () => {
  const pages = new Map<string, Answer>();

  beforeAll(async () => {
    const waiting = ['/guides'];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (pages.has(path)) continue;
      const answer = await page(path);
      expect([path, answer.status]).toEqual([path, 200]);
      pages.set(path, answer);
      const next = addressesIn(answer.text).map((address) => new URL(address, `http://page${path}`));
      waiting.push(
        ...next
          .filter(({ host, pathname }) => host === 'page' && pathname.startsWith('/guides'))
          .map(({ pathname }) => pathname),
      );
    }
  });

  test('every guide and every type is a page, and all links between them work', async () => {
    const broken: string[] = [];
    for (const [path, { text }] of pages) {
      for (const address of addressesIn(text)) {
        const { host, pathname, hash } = new URL(address, `http://page${path}`);
        if (host !== 'page' || !pathname.startsWith('/guides') || pathname === path) continue;
        const target = pages.get(pathname);
        const id = decodeURIComponent(hash.slice(1));
        if (!target || (hash !== '' && !target.text.includes(` id="${id}"`))) broken.push(`${path} → ${address}`);
      }
    }
    expect(broken).toEqual([]);
    const guides = documents.map((file) => (file === 'README.md' ? '' : `/${file.replace('.md', '')}`));
    const types = Object.keys(schema.getTypeMap()).filter((name) => !name.startsWith('__') && !BUILT_IN.includes(name));
    const expected = [...guides, '/project/ARCHITECTURE', ...types.map((name) => `/graphql/${name}`)];
    expect(expected.filter((address) => !pages.has(`/guides${address}`))).toEqual([]);
  });

  test('every page marks itself or its section in the sidebar, which has all lists of the start page', async () => {
    const listed = [...pages.get('/guides')!.text.matchAll(/<li><a href="\.\/(guides[^"]*)">/g)].map(
      ([, path]) => path!,
    );
    expect(listed.length).toBeGreaterThan(35);
    const isPage = ([, { text }]: [string, Answer]) => text.includes('<!DOCTYPE html>');
    for (const [path, { text }] of [...pages].filter(isPage).slice(1)) {
      const sidebar = /<details class="sidebar">.*<\/details>/.exec(text)![0];
      const links = addressesIn(sidebar).map((address) => new URL(address, `http://page${path}`).pathname.slice(1));
      expect([path, listed.filter((one) => !links.includes(one))]).toEqual([path, []]);
      expect([path, sidebar.match(/aria-current="(page|true)"/g)]).toEqual([path, [expect.anything()]]);
    }
  });

  test('the start page has cards for the first steps, and the text of each guide below its link', () => {
    const { text } = pages.get('/guides')!;
    const [cards] = /<ul class="cards">.*?<\/ul>/.exec(text)!;
    expect([...cards.matchAll(/<strong>(.*?)<\/strong>/g)].map(([, name]) => name)).toEqual([
      'Start',
      'Build an app',
      'Run it',
      'Look it up',
    ]);
    expect(text).toContain('<a href="./guides/files">Files</a>Upload, download, attach');
    expect(pages.get('/guides/graphql')!.text).toContain('<a href="../graphql"><strong>Explorer</strong>');
  });

  test('the previous and the next guide are those of the sidebar', async () => {
    const { text } = pages.get('/guides/records')!;
    expect(text).toContain('<a rel="prev" href="../guides/contacts-and-blocks">');
    expect(text).toContain('<a rel="next" href="../guides/permissions">');
  });

  test('every page needs only what its content security policy allows', async () => {
    for (const [path, { headers, text }] of pages) {
      if (!String(headers['content-type']).startsWith('text/html')) continue;
      const attributes = text.replaceAll(/<(?:pre|code)\b.*?<\/(?:pre|code)>/gs, '');
      expect([path, attributes.match(/<[^>]* (?:style|on\w+)=/g)]).toEqual([path, null]);
      expect(text.match(/<span style=/g)).toBeNull();
      expect(text.match(/<script.*?>/g)).toEqual([
        expect.stringMatching(/ src="[./]*console\/assets\/guides-[\w-]+\.js">$/),
      ]);
      const [, style] = /<style>(.*?)<\/style>/s.exec(text)!;
      const hash = createHash('sha256').update(style!).digest('base64');
      expect(headers['content-security-policy']).toContain(
        `style-src 'sha256-${hash}' 'self'; script-src 'self'; font-src`,
      );
    }
    const assets = [
      ...pages.get('/guides/records')!.text.matchAll(/(?:src|href)="\.\.(\/console\/assets\/guides-[^"]+)"/g),
    ];
    expect(assets.length).toBe(2);
    for (const [, address] of assets) expect((await page(address!)).status).toBe(200);
  });

  test('code is highlighted, and has the path of its file', async () => {
    const { text } = pages.get('/guides/recipes')!;
    expect(text).toContain('<p class="file">prisma/schema.prisma</p>');
    expect(text).toContain('<span class="inserted">+');
    expect(pages.get('/guides/records')!.text).toContain('<span class="function">curl</span>');
  });

  test('the same code in several languages has tabs', async () => {
    const { text } = pages.get('/guides/tutorials/first-ten-minutes')!;
    const [tabs] = /<div class="tabs".*?<\/label><div/.exec(text)!;
    expect([...tabs.matchAll(/value="(\w+)"/g)].map(([, name]) => name)).toEqual(['curl', 'GraphQL', 'TypeScript']);
    const source = readFileSync('docs/tutorials/first-ten-minutes.md', 'utf8');
    const [, query] = /```graphql tab=GraphQL\n(.*?)```/s.exec(source)!;
    expect(validate(schema, parse(query!))).toEqual([]);
  });

  test('the page of a type has its fields, arguments and uses, with links', async () => {
    const { text } = pages.get('/guides/graphql/Query')!;
    expect(text).toContain('<h3 id="messages"><code>messages</code>');
    expect(text).toContain('<dt><code>dialogId</code> <span class="type"><code>ID!</code></span></dt>');
    const message = pages.get('/guides/graphql/Message')!.text;
    expect(message).toContain('<a href="../../guides/graphql/User">User</a>');
    expect(message).toContain('<a href="../../guides/graphql/Mutation#sendMessage">Mutation.sendMessage</a>');
  });

  test('a heading has the anchor that other guides link to', async () => {
    const { text } = await page('/guides/architecture/rest');
    expect(text).toContain('<h2 id="how-to-add-an-endpoint">');
    expect(text).toContain('href="#how-to-add-an-endpoint" aria-label="Link to “How to add an endpoint”"');
  });

  test('an item of a check list has a box', async () => {
    const { text } = await page('/guides/production');
    expect(text).toContain('☐ ');
    expect(text).not.toContain('[ ]');
  });

  test('the search finds a guide by its words', async () => {
    const { text } = await page('/guides?q=compound+index');
    expect(addressesIn(text).filter((address) => address.startsWith('guides/records'))).not.toEqual([]);
    const none = await page('/guides?q=zebrafishes');
    expect(none.text).toContain('No page contains these words.');
  });

  test('the search finds endpoints, operations of GraphQL and guides, also as JSON', async () => {
    const { text } = await page('/guides?q=create+user');
    expect(addressesIn(text)).toEqual(expect.arrayContaining(['docs#/Users/createUser']));
    const { headers, text: json } = await rawRequest('GET', '/guides?q=sendMessage', {
      headers: { Accept: 'application/json' },
    });
    expect([headers['content-type'], headers.vary]).toEqual([
      'application/json; charset=utf-8',
      'Accept, Accept-Encoding',
    ]);
    expect(JSON.parse(json)).toContainEqual({
      address: 'guides/graphql/Mutation#sendMessage',
      title: 'GraphQL: mutation sendMessage',
      text: expect.any(String),
    });
  });

  test('one or two letters are only found as a word, and a repeated word is searched once', async () => {
    const { text } = await page('/guides?q=gr');
    expect(text).toContain('No page contains these words.');
    const [once, often] = await Promise.all(
      [1, 30].map((times) => page(`/guides?q=${Array(times).fill('message').join('+')}`)),
    );
    expect(addressesIn(often!.text)).toEqual(addressesIn(once!.text));
  });

  test('a search text does not become markup', async () => {
    const { text } = await page(`/guides?q=${encodeURIComponent('"><script>alert(1)</script>')}`);
    expect(text).not.toContain('<script>');
    expect(text).toContain('&quot;&gt;&lt;script&gt;');
  });

  test.each([
    '/guides/nothing',
    '/guides/../package.json',
    '/guides/..%2f..%2fpackage.json',
    '/guides/project/package.json',
    '/guides/%2e%2e/README',
    '/guides/constructor',
    '/guides/records/',
    '/guides/%ff',
  ])('%s does not exist', async (path) => {
    expect((await page(path)).status).toBe(404);
  });
});
