import { createHash } from 'node:crypto';
import { renderGraphiQL } from '@graphql-yoga/render-graphiql';
import type { RequestHandler } from 'express';

/** One page that loads no other files. Rendered once, because it has several megabytes. */
export function explorerPage(tokenHeader: string): RequestHandler {
  let rendered: { page: Buffer; headers: Record<string, string> } | undefined;
  return (_request, response) => {
    rendered ??= withHeaders(
      renderGraphiQL({
        title: 'Atrium',
        defaultQuery: '{ me { id login } }\n',
        headers: JSON.stringify({ [tokenHeader]: '' }, null, 2),
      }),
    );
    response.writeHead(200, rendered.headers).end(rendered.page);
  };
}

/** The policy is strict, because users enter credentials into the page. */
function withHeaders(html: string): { page: Buffer; headers: Record<string, string> } {
  const script = html.slice(html.indexOf('<script>') + '<script>'.length, html.lastIndexOf('</script>'));
  const hash = createHash('sha256').update(script).digest('base64');
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${hash}'`,
    'worker-src blob:',
    // Required because the editor creates its styles at runtime.
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
