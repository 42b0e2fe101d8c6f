import { readFile } from 'node:fs/promises';
import type { Services } from '../../context.ts';
import { escapeHtml } from '../../lib/escape-html.ts';
import { cardLinks } from './cards.ts';
import { BUILT, built, filled, header } from './layout.ts';
import type { DOCS_PATHS } from './paths.ts';
import { HTML, JSON_TYPE, SCRIPT, STYLE, type StaticFile, served } from './static-files.ts';

/** Addresses are relative to the root. */
const CARDS = [
  {
    href: 'guides/tutorials/first-ten-minutes',
    name: 'First requests',
    text: 'An API key, two users and a live chat in ten minutes',
  },
  {
    href: 'guides/reference/rest-contract',
    name: 'REST contract',
    text: 'Paths, parameters, lists, errors and limits of all endpoints',
  },
  { href: 'guides/other-languages', name: 'Clients', text: 'Generate a client in your language from this document' },
  { href: 'guides/graphql', name: 'GraphQL reference', text: 'The same operations, and subscriptions to live events' },
];

type DocsPath = (typeof DOCS_PATHS)[number];

/** @param document called once, on the first request */
export function documentation(
  { publicUrl }: Services,
  document: () => { tags: readonly { name: string }[] },
): Record<DocsPath, () => Promise<StaticFile>> {
  // All addresses are relative, so that the page works below any path.
  const page = async (urls: { root: string; files: string; document: string }): Promise<StaticFile> => {
    const { root } = urls;
    const cards = cardLinks(CARDS.map(({ href, ...card }) => ({ ...card, href: root + href })));
    return served(
      HTML,
      filled(await built('docs/index.html', root), {
        ...urls,
        header: header(root, 'docs'),
        sections: sectionLinks(document()),
        cards,
      }),
      {
        'Content-Security-Policy': policy(publicUrl()),
        'X-Frame-Options': 'DENY',
        'Referrer-Policy': 'no-referrer',
        'Cross-Origin-Opener-Policy': 'same-origin',
      },
    );
  };
  const file = async (type: string, name: string) => served(type, await readFile(new URL(name, BUILT)));
  return {
    '/openapi.json': async () => served(JSON_TYPE, JSON.stringify(document()), { 'Access-Control-Allow-Origin': '*' }),
    '/docs': () => page({ root: './', files: 'docs/', document: 'openapi.json' }),
    '/docs/': () => page({ root: '../', files: '', document: '../openapi.json' }),
    '/docs/page.js': () => file(SCRIPT, 'docs/page.js'),
    '/docs/page.css': async () => served(STYLE, await built('docs.css', '../')),
    '/docs/swagger-ui.css': () => file(STYLE, 'swagger-ui/swagger-ui.css'),
    '/docs/swagger-ui-bundle.js': () => file(SCRIPT, 'swagger-ui/swagger-ui-bundle.js'),
  };
}

/** Links to the headings of Swagger UI, whose ids are made of the names. */
function sectionLinks({ tags }: { tags: readonly { name: string }[] }): string {
  const links = tags.map(({ name }) => {
    const heading = `operations-tag-${name.replaceAll(' ', '_')}`;
    return `<li><a href="#${escapeHtml(heading)}">${escapeHtml(name)}</a></li>`;
  });
  return `<details class="sidebar"><summary>All sections</summary><nav aria-label="Endpoints"><h2>Endpoints</h2><ul>${links.join('')}</ul></nav></details>`;
}

/** The document may name the page's own address or the public URL. */
function policy(publicUrl: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self' ${new URL(publicUrl).origin}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
