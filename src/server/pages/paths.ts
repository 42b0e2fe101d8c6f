export const RESET_PAGE = '/reset-password';

/** A fixed list, so that no path is built from a request. */
export const DOCS_PATHS = [
  '/openapi.json',
  '/docs',
  '/docs/',
  '/docs/page.js',
  '/docs/page.css',
  '/docs/swagger-ui.css',
  '/docs/swagger-ui-bundle.js',
  '/docs/favicon-32x32.png',
] as const;

export const PAGE_ROUTES: ReadonlyMap<string, string> = new Map([
  ...DOCS_PATHS.map((path): [string, string] => [path, path === '/openapi.json' ? path : '/docs']),
  [RESET_PAGE, RESET_PAGE],
]);
