import { readFile } from 'node:fs/promises';
import type { Services } from '../../context.ts';
import { BUILT, built, filled, header } from './layout.ts';
import type { DOCS_PATHS } from './paths.ts';
import { HTML, JSON_TYPE, SCRIPT, STYLE, type StaticFile, served } from './static-files.ts';

type DocsPath = (typeof DOCS_PATHS)[number];

/** @param document called once, on the first request */
export function documentation(
  { publicUrl }: Services,
  document: () => object,
): Record<DocsPath, () => Promise<StaticFile>> {
  // All addresses are relative, so that the page works below any path.
  const page = async (urls: { root: string; files: string; document: string }): Promise<StaticFile> =>
    served(HTML, filled(await built('docs/index.html', urls.root), { ...urls, header: header(urls.root, 'docs') }), {
      'Content-Security-Policy': policy(publicUrl()),
      'X-Frame-Options': 'DENY',
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Opener-Policy': 'same-origin',
    });
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
