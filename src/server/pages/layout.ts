import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { escapeHtml } from '../../lib/escape-html.ts';
import { PROJECT_ROOT } from '../../project-root.ts';
import { HTML, type StaticFile, served } from './static-files.ts';

/** Built from `packages/console` by Vite. */
export const BUILT = new URL('packages/console/dist/', PROJECT_ROOT);

export interface PageContent {
  title: string;
  /** HTML of the main element. */
  body: string;
  /** Of the root, relative to the address of the page, so that pages work below any path. */
  root: string;
  isGuide?: boolean;
}

/** A page without scripts. */
export async function htmlPage({ title, body, root, isGuide = false }: PageContent): Promise<StaticFile> {
  const template = await readFile(new URL('page.html', BUILT), 'utf8');
  const marked = isGuide ? template.replace('>Guides</a>', ' aria-current="true"$&') : template;
  const html = filled(marked, { title: escapeHtml(title), body, root });
  const style = template.split('<style>')[1]!.split('</style>')[0]!;
  return served(HTML, html, {
    'Content-Security-Policy': [
      "default-src 'none'",
      `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
      "img-src 'self' data:",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'X-Robots-Tag': 'noindex',
    'Cross-Origin-Opener-Policy': 'same-origin',
  });
}

/** Replaces each `{{name}}` of a built page. */
export function filled(template: string, values: Record<string, string>): string {
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name]!);
}
