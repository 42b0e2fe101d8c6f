import { readFile } from 'node:fs/promises';
import type { Services } from '../../context.ts';
import { PROJECT_ROOT } from '../../project-root.ts';
import { docsPolicy, PAGE_SCRIPT, PAGE_STYLE, renderDocs } from './docs-view.ts';
import type { DOCS_PATHS } from './paths.ts';
import { HTML, SCRIPT, type ServedFile, STYLE, served } from './served-files.ts';

/** Copied by the build of `packages/console`. */
const SWAGGER_UI = new URL('packages/console/dist/swagger-ui/', PROJECT_ROOT);

type DocsPath = (typeof DOCS_PATHS)[number];

/** @param document called once, on the first request */
export function documentation(
  { publicUrl }: Services,
  document: () => object,
): Record<DocsPath, () => Promise<ServedFile>> {
  const page = (urls: Parameters<typeof renderDocs>[0]): Promise<ServedFile> =>
    served(HTML, renderDocs(urls), {
      'Content-Security-Policy': docsPolicy(publicUrl()),
      'X-Frame-Options': 'DENY',
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Opener-Policy': 'same-origin',
    });
  return {
    '/openapi.json': async () =>
      served('application/json; charset=utf-8', JSON.stringify(document()), { 'Access-Control-Allow-Origin': '*' }),
    '/docs': () => page({ root: './', files: 'docs/', document: 'openapi.json' }),
    '/docs/': () => page({ root: '../', files: '', document: '../openapi.json' }),
    '/docs/page.js': () => served(SCRIPT, PAGE_SCRIPT),
    '/docs/page.css': () => served(STYLE, PAGE_STYLE),
    '/docs/swagger-ui.css': () => packaged(STYLE, 'swagger-ui.css'),
    '/docs/swagger-ui-bundle.js': () => packaged(SCRIPT, 'swagger-ui-bundle.js'),
  };
}

async function packaged(type: string, name: string): Promise<ServedFile> {
  return served(type, await readFile(new URL(name, SWAGGER_UI)));
}
