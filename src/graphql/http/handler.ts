import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Logger } from 'pino';
import type { Services } from '../../context.ts';
import { isKnown } from '../../lib/access.ts';
import { readCredentials } from '../../lib/credentials.ts';
import { BadInputError, RateLimitedError, ServiceUnavailableError } from '../../lib/errors.ts';
import { onFirstUse } from '../../lib/on-first-use.ts';
import { readBody } from '../../platform/http/request-body.ts';
import { isLargeBody, readUnauthenticatedBody } from '../../platform/http/unauthenticated-body.ts';
import { factsOf } from '../../platform/observability/request-facts.ts';
import { authenticate } from '../../resolvers/sessions/authenticate.ts';
import { withAdministrator } from '../console-cookie.ts';
import { presentError } from '../presented-errors.ts';
import type { RequestCaller } from '../read-request.ts';
import { answerPlainPost } from './plain-post.ts';
import { acceptsPage, orderAccepted, requireReadable } from './request-shape.ts';
import { commonHeaders, corsHeaders, EXPOSED } from './response-headers.ts';
import { countsOf, pageOf, type ServerContext } from './server-context.ts';
import { createYogaServer } from './yoga.ts';

const MAX_BODY_BYTES = 1024 * 1024;

type Handler = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/**
 * GraphQL over HTTP at `/graphql`: POST, GET for queries, subscriptions as server-sent events.
 * @param pages serves GraphiQL to browsers
 */
export function graphqlOverHttp(services: Services, tokenHeaders: readonly string[], pages: Handler) {
  const fixedHeaders = commonHeaders(tokenHeaders);
  const loadYoga = onFirstUse(() => createYogaServer(services, fixedHeaders));
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const facts = factsOf(request);
    const requestLogger = () => services.log.child({ requestId: facts.id });
    const caller = onFirstUse(async () => {
      const read = (name: string) => request.headers[name.toLowerCase()];
      const credentials = withAdministrator(readCredentials(read, tokenHeaders), pageOf(request, services), read);
      const network = services.networkOf(request);
      const viewer = await authenticate(credentials, network, services).catch((error) => {
        throw presentError(error, requestLogger());
      });
      facts.viewer = viewer;
      return {
        viewer,
        network,
        userAgent: request.headers['user-agent'],
        meter: services.rateLimits?.meter(network, viewer),
      };
    });
    const headersOf = async () => ({ ...fixedHeaders, ...(await countsOf(request, caller)) });
    const server: ServerContext = { req: request, res: response, caller, facts, requestLogger };
    try {
      const body = await readBodyOf(request, caller);
      requireReadable(request);
      orderAccepted(request);
      const plain = await answerPlainPost(body, server, services, loadYoga);
      if (plain) {
        response.writeHead(plain.status, { ...corsHeaders(request), ...plain.headers, ...(await headersOf()) });
        response.end(plain.text);
        return;
      }
      if (body.length > 0) Object.assign(request, { body: Readable.from([body]) });
    } catch (error) {
      facts.errors = [presentError(error, requestLogger())];
      refuse(response, error, requestLogger(), await headersOf());
      return;
    }
    const answer = async () => (await loadYoga()).yoga(request, response, server);
    if (!acceptsPage(request)) return answer();
    response.setHeaders(new Map(Object.entries({ ...corsHeaders(request), ...(await headersOf()) })));
    pages(request, response, answer);
  };
}

/** Bounds the speed of large bodies of unauthenticated callers. */
async function readBodyOf(request: IncomingMessage, caller: ServerContext['caller']): Promise<Buffer> {
  // `onParams` reports failed authentication.
  const { viewer, meter } = await caller().catch((): RequestCaller => ({ viewer: ANONYMOUS, meter: undefined }));
  if (isKnown(viewer)) return readBody(request, MAX_BODY_BYTES);
  if (isLargeBody(request)) await meter?.requireCapacity('default');
  return readUnauthenticatedBody(request, MAX_BODY_BYTES);
}

const ANONYMOUS = { kind: 'anonymous' } as const;

function refuse(response: ServerResponse, error: unknown, log: Logger, headers: Record<string, string>): void {
  response.writeHead(statusOf(error), {
    'Content-Type': 'application/json; charset=utf-8',
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': EXPOSED.join(', '),
    ...headers,
  });
  response.end(JSON.stringify({ errors: [presentError(error, log)] }));
}

function statusOf(error: unknown): number {
  if (error instanceof BadInputError) return error.status;
  if (error instanceof RateLimitedError) return 429;
  return error instanceof ServiceUnavailableError ? 503 : 500;
}
