export const CONSOLE = '/console';
export const RESET_PAGE = '/reset-password';
export const VERIFY_PAGE = '/verify-email';
export const SIGN_IN_PAGES = '/sign-in';

/** A fixed list, so that no path is built from a request. */
export const DOCS_PATHS = [
  '/openapi.json',
  '/docs',
  '/docs/',
  '/docs/page.js',
  '/docs/page.css',
  '/docs/swagger-ui.css',
  '/docs/swagger-ui-bundle.js',
] as const;

const PATHS = ['/favicon.svg', '/favicon.ico', '/robots.txt', '/guides', CONSOLE, RESET_PAGE, VERIFY_PAGE];
const FOLDERS = ['/guides', CONSOLE, SIGN_IN_PAGES];

/** @returns the route in metrics of a path that only pages serve */
export function pageRoute(path: string): string | undefined {
  if (PATHS.includes(path)) return path;
  if ((DOCS_PATHS as readonly string[]).includes(path)) return path === '/openapi.json' ? path : '/docs';
  return FOLDERS.find((folder) => path.startsWith(`${folder}/`));
}
