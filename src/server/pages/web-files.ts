import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { BUILT, built, filled, header } from './layout.ts';
import { HTML, IMMUTABLE, SCRIPT, STYLE, type StaticFile, served } from './static-files.ts';

const TYPES: Record<string, string> = { '.js': SCRIPT, '.css': STYLE, '.svg': 'image/svg+xml', '.woff2': 'font/woff2' };

const HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    // The component library and the editor create style elements at runtime.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

/** Ends the name of the same file compressed with Brotli. */
const COMPRESSED = '.br';

/** By file name. The names contain a hash of the content. */
export async function builtAssets(): Promise<ReadonlyMap<string, () => Promise<StaticFile>>> {
  const names = new Set(await readdir(new URL('assets/', BUILT)));
  const assets = [...names].filter((name) => !name.endsWith(COMPRESSED));
  return new Map(assets.map((name) => [name, () => servedAsset(name, names.has(name + COMPRESSED))]));
}

async function servedAsset(name: string, isCompressed: boolean): Promise<StaticFile> {
  const type = TYPES[extname(name)] ?? 'application/octet-stream';
  const [content, brotli] = await Promise.all([
    readFile(new URL(`assets/${name}`, BUILT)),
    isCompressed ? readFile(new URL(`assets/${name}${COMPRESSED}`, BUILT)) : undefined,
  ]);
  return served(type, content, IMMUTABLE, brotli);
}

/** @param root base path of the service, relative to the page */
export async function builtPage(name: string, root: string, vary?: string): Promise<StaticFile> {
  const html = filled(await built(name, root), { header: header(root, 'graphql') });
  const text = html.replace('"favicon.svg"', `"${root}favicon.svg"`);
  return served(HTML, text, { ...HEADERS, ...(vary && { Vary: vary }) });
}

export async function favicon(): Promise<StaticFile> {
  return served('image/svg+xml', await readFile(new URL('favicon.svg', BUILT)));
}
