import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import { parse } from 'graphql';
import type { Services } from '../../context.ts';
import { executePrepared } from '../../graphql/prepared-operation.ts';
import { presentError } from '../../graphql/presented-errors.ts';
import { NotFoundError, RateLimitedError } from '../../lib/errors.ts';
import { factsOf } from '../../platform/observability/request-facts.ts';
import { createContext } from '../../resolvers/create-context.ts';
import type { ServedFile } from '../../resolvers/files/served-file.ts';
import { authenticate } from '../../resolvers/sessions/authenticate.ts';
import { tokenOfConsole } from './console-token.ts';

const RECORD_FILE = parse(`query RecordImage($className: String!, $id: ID!, $fieldName: String!) {
  recordFile(className: $className, id: $id, fieldName: $fieldName) { name contentType size content }
}`);

/** Other types may be documents that run scripts. */
const IMAGE = /^image\/(png|jpeg|gif|webp|avif|bmp)$/i;

/** Sends an image in a field of a record. An `<img>` of the console has its cookie, but cannot send headers. */
export function recordImage(services: Services) {
  return async (request: Request, response: Response): Promise<void> => {
    try {
      const { contentType, size, content } = await fileOf(request, services);
      if (!IMAGE.test(contentType)) throw new NotFoundError();
      factsOf(request).isOpenEnded = true;
      const stream = await content.open();
      response.writeHead(200, {
        'Content-Type': contentType,
        'Content-Length': String(size),
        'X-Content-Type-Options': 'nosniff',
        'Content-Security-Policy': 'sandbox',
        'Cross-Origin-Resource-Policy': 'same-origin',
        // Scrolling shows the same images again. Without the cookie of the session, no copy is used.
        'Cache-Control': 'private, max-age=300',
        Vary: 'Cookie',
      });
      await pipeline(stream, response);
    } catch (error) {
      if (response.headersSent) response.destroy();
      else {
        presentError(error, services.log);
        response.writeHead(error instanceof RateLimitedError ? 429 : 404, { 'Cache-Control': 'no-store' }).end();
      }
    }
  };
}

async function fileOf(request: Request, services: Services): Promise<ServedFile> {
  const { application, className, id, fieldName } = request.params as Record<string, string>;
  const network = services.networkOf(request);
  const administrator = { token: tokenOfConsole(request), application: application!, reason: undefined };
  const credentials = { token: undefined, authorization: undefined, onBehalfOf: undefined, administrator };
  const viewer = await authenticate(credentials, network, services);
  factsOf(request).viewer = viewer;
  const meter = services.rateLimits?.meter(network, viewer);
  await meter?.count('default');
  const context = createContext(services, viewer, { network, meter });
  const data = await executePrepared(RECORD_FILE, { className, id, fieldName }, context);
  return (data as { recordFile: ServedFile }).recordFile;
}
