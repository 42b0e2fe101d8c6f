import { createHash } from 'node:crypto';
import { renderGraphiQL } from '@graphql-yoga/render-graphiql';
import type { GraphiQLOptions } from 'graphql-yoga';

/** What a browser gets at `/graphql`: GraphiQL in one page, which loads nothing, and speaks to its own server only. */
export interface Explorer {
  options: GraphiQLOptions;
  /** The page, several megabytes: put together when the first browser comes, then kept. */
  page: () => string;
  /** What the page may do, and who may show it: people type credentials into it. */
  headers: () => Record<string, string>;
}

export function createExplorer(tokenHeader: string): Explorer {
  const options: GraphiQLOptions = {
    title: 'Atrium',
    defaultQuery: '{ me { id login } }\n',
    headers: JSON.stringify({ [tokenHeader]: '' }, null, 2),
  };
  let kept: { page: string; policy: string } | undefined;
  const rendered = () => {
    kept ??= withPolicy(renderGraphiQL(options));
    return kept;
  };
  return {
    options,
    page: () => rendered().page,
    headers: () => ({
      'Content-Security-Policy': rendered().policy,
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      'X-Frame-Options': 'DENY',
    }),
  };
}

function withPolicy(page: string): { page: string; policy: string } {
  const script = page.slice(page.indexOf('<script>') + '<script>'.length, page.lastIndexOf('</script>'));
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
  return { page, policy };
}
