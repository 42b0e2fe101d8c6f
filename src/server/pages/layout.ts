import { createHash } from 'node:crypto';
import { escapeHtml } from '../../lib/escape-html.ts';
import { HTML, type ServedFile, served } from './served-files.ts';

const STYLE = `
:root { color-scheme: light dark; --text: #1c2330; --soft: #555b66; --line: #d5d9e0; --accent: #1f5fbf; --card: #fff; --ground: #f3f4f6; --code: #eceff4; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e8ebf0; --soft: #b4b9c2; --line: #3a404c; --accent: #8ab4f8; --card: #1f2228; --ground: #14161a; --code: #2a2e37; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: break-word; }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
header { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: center; padding: .75rem 1.5rem; background: var(--card); border-bottom: 1px solid var(--line); }
header a { text-decoration: none; }
header .name { display: flex; gap: .6rem; align-items: center; margin-right: auto; color: var(--text); font-weight: 700; font-size: 1.1rem; }
header nav { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; }
header nav a[aria-current] { color: var(--text); font-weight: 600; }
main { max-width: 58rem; margin: 0 auto; padding: 2rem 1.5rem 4rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: .5rem 0 1rem; }
h2 { margin: 2.2rem 0 .6rem; font-size: 1.35rem; }
h3 { margin: 1.6rem 0 .4rem; font-size: 1.1rem; }
pre, code { font: .9em/1.5 ui-monospace, monospace; }
code { padding: .1em .3em; background: var(--code); border-radius: .25rem; }
pre { padding: 1rem; overflow-x: auto; background: var(--code); border-radius: .5rem; }
pre code { padding: 0; background: none; }
.lead { font-size: 1.15rem; color: var(--soft); max-width: 44rem; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr)); gap: 1rem; margin: 2rem 0; padding: 0; list-style: none; }
.cards a { display: block; height: 100%; padding: 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: .75rem; color: inherit; text-decoration: none; }
.cards a:hover { border-color: var(--accent); }
.cards strong { display: block; margin-bottom: .25rem; color: var(--accent); font-size: 1.1rem; }
.table { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .95rem; }
th, td { padding: .45rem .7rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
img { max-width: 100%; height: auto; }
form.search { display: flex; gap: .5rem; margin: 0 0 1.5rem; max-width: 32rem; }
form.search input { flex: 1; min-width: 0; padding: .55rem .7rem; font: inherit; color: inherit; background: var(--card); border: 1px solid #8a8f98; border-radius: .4rem; }
form.search button { padding: .55rem 1rem; font: inherit; font-weight: 600; color: var(--card); background: var(--accent); border: 0; border-radius: .4rem; cursor: pointer; }
.results { padding: 0; list-style: none; }
.results li { margin-bottom: 1.1rem; }
.results p { margin: .1rem 0 0; color: var(--soft); }
.sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
`;

const LOGO = `<svg width="28" height="28" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="7" fill="#1f5fbf"/><path d="M7 26V15a9 9 0 0 1 18 0v11h-5V15a4 4 0 0 0-8 0v11z" fill="#fff"/></svg>`;

const HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'",
    `style-src '${`sha256-${createHash('sha256').update(STYLE).digest('base64')}`}'`,
    "img-src 'self' data:",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

export type Section = 'graphql' | 'docs' | 'guides';

export interface PageContent {
  title: string;
  /** HTML of the main element. */
  body: string;
  /** Of the root, relative to the address of the page, so that pages work below any path. */
  root: string;
  current?: Section;
}

export const SECTIONS: { path: Section; name: string; text: string }[] = [
  { path: 'graphql', name: 'GraphQL explorer', text: 'Write and run queries, mutations and subscriptions' },
  { path: 'docs', name: 'REST reference', text: 'Every endpoint, with examples that run' },
  { path: 'guides', name: 'Guides', text: 'From the first ten minutes to several servers' },
];

/** A page without scripts. */
export function htmlPage({ title, body, root, current }: PageContent): Promise<ServedFile> {
  const links = SECTIONS.map(({ path, name }) => {
    const mark = path === current ? ' aria-current="true"' : '';
    return `<a href="${root}${path}"${mark}>${name}</a>`;
  });
  const html = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${root}favicon.svg" type="image/svg+xml">
<style>${STYLE}</style>
</head>
<body>
<header><a class="name" href="${root}">${LOGO} Atrium</a><nav aria-label="Sections">${links.join('')}</nav></header>
<main>
${body}
</main>
</body>
</html>
`;
  return served(HTML, html, HEADERS);
}
