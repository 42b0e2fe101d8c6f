import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { escapeHtml } from '../../lib/escape-html.ts';
import { PROJECT_ROOT } from '../../project-root.ts';
import { HTML, type StaticFile, served } from './static-files.ts';

/** Built from `packages/console` by Vite. */
export const BUILT = new URL('packages/console/dist/', PROJECT_ROOT);

const LOGO =
  '<svg width="28" height="28" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="7" fill="#1f5fbf"/><path d="M7 26V15a9 9 0 0 1 18 0v11h-5V15a4 4 0 0 0-8 0v11z" fill="#fff"/></svg>';

/** Pages that the header leads to; phones show the first word. */
const SECTIONS = { graphql: 'GraphQL explorer', docs: 'REST reference', guides: 'Guides' };

export interface PageContent {
  title: string;
  /** HTML of the main element. */
  body: string;
  /** Of the root, relative to the address of the page, so that pages work below any path. */
  root: string;
  section?: keyof typeof SECTIONS;
  /** HTML before the main element. */
  navigation?: string;
  /** What the person searches for. */
  query?: string;
  /** Paths of a script and of further styles in the built files. */
  assets?: { script: string; style: string };
}

/** A page that also works without scripts. */
export async function htmlPage(content: PageContent): Promise<StaticFile> {
  const { title, body, root, section, navigation = '', query, assets } = content;
  const [template, style] = await Promise.all([built('page.html', root), built('page.css', root)]);
  const links = assets
    ? `<link rel="stylesheet" href="./${assets.style}">\n<script type="module" src="./${assets.script}"></script>`
    : '';
  const values = {
    title: escapeHtml(title),
    style: `<style>${style}</style>\n${withAssets(links, root)}`,
    header: header(root, section, query),
    navigation,
    body,
    root,
  };
  const html = filled(template, values);
  return served(HTML, html, {
    'Content-Security-Policy': [
      "default-src 'none'",
      `style-src ${sourceOf(style)}${assets ? " 'self'" : ''}`,
      ...(assets ? ["script-src 'self'"] : []),
      "font-src 'self'",
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

/** @returns a built page or style, with the addresses of its assets relative to the page */
export async function built(name: string, root: string): Promise<string> {
  return withAssets(await readFile(new URL(name, BUILT), 'utf8'), root);
}

export function withAssets(text: string, root: string): string {
  return text.replaceAll('./assets/', `${root === './' ? '' : root}console/assets/`);
}

/** Of an inline style or script, for the content security policy. */
export function sourceOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

export function header(root: string, current?: PageContent['section'], query = ''): string {
  const links = Object.entries(SECTIONS).map(
    ([path, name]) =>
      `<a href="${root}${path}"${path === current ? ' aria-current="true"' : ''}>${name.replace(/ .*/, '<span class="site-long">$&</span>')}</a>`,
  );
  const search = `<form role="search" action="${root}guides"><input name="q" type="search" aria-label="Search the documentation" placeholder="Search guides, REST and GraphQL" value="${escapeHtml(query)}" required maxlength="200"></form>`;
  return `<header class="site"><a class="name" href="${root}">${LOGO} Atrium</a>${search}<nav aria-label="Sections">${links.join('')}</nav></header>`;
}

/** Replaces each `{{name}}` of a built page. */
export function filled(template: string, values: Record<string, string>): string {
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name]!);
}
