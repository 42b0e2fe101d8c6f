import { createHash } from 'node:crypto';
import { renderGraphiQL } from '@graphql-yoga/render-graphiql';
import type { RequestHandler } from 'express';

/**
 * GraphiQL in one page, which loads nothing and speaks to its own server only. The page has several megabytes, so it is
 * rendered for the first browser and kept.
 */
export function explorerPage(tokenHeader: string): RequestHandler {
  let kept: { page: Buffer; headers: Record<string, string> } | undefined;
  return (_request, response) => {
    kept ??= withHeaders(
      renderGraphiQL({
        title: 'Atrium',
        defaultQuery: '{ me { id login } }\n',
        headers: JSON.stringify({ [tokenHeader]: '' }, null, 2),
      }),
    );
    response.writeHead(200, kept.headers).end(kept.page);
  };
}

/** What the page may do, and who may show it: people type credentials into it. */
function withHeaders(html: string): { page: Buffer; headers: Record<string, string> } {
  const script = html.slice(html.indexOf('<script>') + '<script>'.length, html.lastIndexOf('</script>'));
  const hash = createHash('sha256').update(script).digest('base64');
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${hash}'`,
    'worker-src blob:',
    // The editor makes its styles as it goes.
    "style-src 'unsafe-inline'",
    'font-src data:',
    'img-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  const page = Buffer.from(html);
  return {
    page,
    headers: {
      'Content-Type': 'text/html',
      'Content-Length': String(page.length),
      'Content-Security-Policy': policy,
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      'X-Frame-Options': 'DENY',
    },
  };
}
