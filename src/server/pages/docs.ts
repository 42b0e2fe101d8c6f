import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import swaggerFolder from 'swagger-ui-dist/absolute-path.js';
import type { Services } from '../../context.ts';
import { presentError } from '../../graphql/presented-errors.ts';
import { docsPolicy, PAGE_SCRIPT, PAGE_STYLE, renderDocs } from './docs-view.ts';
import type { DOCS_PATHS } from './paths.ts';

interface ServedText {
  type: string;
  bytes: Buffer;
  compressed: Buffer;
  etag: string;
  headers: Record<string, string>;
}

const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

/** Browsers revalidate on each load, by ETag. */
const CACHED = { 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding', 'X-Content-Type-Options': 'nosniff' };

type DocsPath = (typeof DOCS_PATHS)[number];

/** @param document called once, on the first request */
export function documentation({ publicUrl, log }: Services, document: () => object) {
  const files: Record<DocsPath, () => Promise<ServedText>> = {
    '/openapi.json': once(() =>
      served('application/json; charset=utf-8', JSON.stringify(document()), { 'Access-Control-Allow-Origin': '*' }),
    ),
    '/docs': once(() => page({ files: 'docs/', document: 'openapi.json' })),
    '/docs/': once(() => page({ files: '', document: '../openapi.json' })),
    '/docs/page.js': once(() => served(SCRIPT, PAGE_SCRIPT)),
    '/docs/page.css': once(() => served(STYLE, PAGE_STYLE)),
    '/docs/swagger-ui.css': once(() => packaged(STYLE, 'swagger-ui.css')),
    '/docs/swagger-ui-bundle.js': once(() => packaged(SCRIPT, 'swagger-ui-bundle.js')),
    '/docs/favicon-32x32.png': once(() => packaged('image/png', 'favicon-32x32.png')),
  };

  function page(urls: Parameters<typeof renderDocs>[0]): Promise<ServedText> {
    return served('text/html; charset=utf-8', renderDocs(urls), {
      'Content-Security-Policy': docsPolicy(publicUrl()),
      'X-Frame-Options': 'DENY',
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Opener-Policy': 'same-origin',
    });
  }

  return (path: DocsPath) =>
    async (request: Request, response: Response): Promise<void> => {
      try {
        send(request, response, await files[path]());
      } catch (error) {
        response.writeHead(500, { 'Content-Type': 'text/plain' }).end(`${presentError(error, log).message}\n`);
      }
    };
}

function send({ method, headers }: Request, response: Response, file: ServedText): void {
  const common = { ...CACHED, ...file.headers, ETag: file.etag };
  if (headers['if-none-match'] === file.etag) {
    response.writeHead(304, common).end();
    return;
  }
  const isCompressed = /\bgzip\b/.test(String(headers['accept-encoding'] ?? ''));
  const body = isCompressed ? file.compressed : file.bytes;
  response
    .writeHead(200, {
      ...common,
      'Content-Type': file.type,
      'Content-Length': String(body.length),
      ...(isCompressed && { 'Content-Encoding': 'gzip' }),
    })
    .end(method === 'HEAD' ? undefined : body);
}

async function packaged(type: string, name: string): Promise<ServedText> {
  return served(type, await readFile(join(swaggerFolder(), name)));
}

async function served(
  type: string,
  content: string | Buffer,
  headers: Record<string, string> = {},
): Promise<ServedText> {
  const bytes = Buffer.from(content);
  const etag = `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  return { type, bytes, compressed: await promisify(gzip)(bytes), etag, headers };
}

function once<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined;
  return () => {
    made ??= Promise.resolve()
      .then(make)
      .catch((error) => {
        made = undefined;
        throw error;
      });
    return made;
  };
}
