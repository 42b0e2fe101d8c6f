import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { BUILT } from './layout.ts';
import { HTML, IMMUTABLE, SCRIPT, STYLE, type StaticFile, served } from './static-files.ts';

const TYPES: Record<string, string> = { '.js': SCRIPT, '.css': STYLE, '.svg': 'image/svg+xml' };

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
    "form-action 'none'",
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

interface PageSettings {
  /** Address of the folder of the assets, relative to the page. */
  assets: string;
  /** Base path of the service, relative to the page. */
  root: string;
  vary?: string;
}

export async function builtPage(name: string, { assets, root, vary }: PageSettings): Promise<StaticFile> {
  const html = await readFile(new URL(name, BUILT), 'utf8');
  const text = html.replaceAll('./assets/', assets).replace('"favicon.svg"', `"${root}favicon.svg"`);
  return served(HTML, text, { ...HEADERS, ...(vary && { Vary: vary }) });
}

export async function favicon(): Promise<StaticFile> {
  return served('image/svg+xml', await readFile(new URL('favicon.svg', BUILT)));
}
