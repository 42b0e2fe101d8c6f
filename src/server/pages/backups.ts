import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import { openBackup } from '../../administration/jobs/downloads.ts';
import type { Services } from '../../context.ts';
import { presentError } from '../../graphql/presented-errors.ts';
import { NotFoundError } from '../../lib/errors.ts';
import { tokenOfConsole } from './console-token.ts';

const METHODS = { Allow: 'GET', 'Cache-Control': 'no-store' };

/** Sends an archive. A link without the header `Application` suffices, because the ticket in its path works once. */
export function backupDownload(services: Services) {
  return async (request: Request, response: Response): Promise<void> => {
    // HEAD requests, for example of previews, would use up the ticket.
    if (request.method !== 'GET') {
      response.writeHead(405, METHODS).end();
      return;
    }
    try {
      const { name, bytes, content } = await openBackup(visitorOf(request, services), services);
      response.writeHead(200, {
        'Content-Type': 'application/gzip',
        'Content-Length': String(bytes),
        'Content-Disposition': `attachment; filename="${name}"`,
        'X-Content-Type-Options': 'nosniff',
        'Content-Security-Policy': 'sandbox',
        'Cross-Origin-Resource-Policy': 'same-origin',
        'Cache-Control': 'no-store',
      });
      await pipeline(content, response);
    } catch (error) {
      // The client sees an incomplete download.
      if (response.headersSent) response.destroy();
      else sendFailure(error, response, services);
    }
  };
}

function visitorOf(request: Request, services: Services) {
  return {
    ticket: String(request.params.ticket),
    token: tokenOfConsole(request),
    network: services.networkOf(request),
  };
}

function sendFailure(error: unknown, response: Response, { log }: Services): void {
  const { message } = presentError(error, log);
  response
    .writeHead(error instanceof NotFoundError ? 404 : 503, {
      'Content-Type': 'text/plain; charset=utf-8',
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-store',
    })
    .end(`${message}\n`);
}
