import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ExecutionArgs, ExecutionResult } from 'graphql';
import type { Logger } from 'pino';
import type { Context, Services } from '../../context.ts';
import { ResponseSize } from '../../lib/response-size.ts';
import { callerLeft } from '../../platform/http/caller-left.ts';
import { rateHeaders } from '../../platform/limits/definitions.ts';
import type { RequestFacts } from '../../platform/observability/request-facts.ts';
import { createContext } from '../../resolvers/create-context.ts';
import { type ConsolePage, callingPage, consolePage } from '../console-cookie.ts';
import { execute } from '../execute.ts';
import { requestedOperation } from '../operations.ts';
import { presentError } from '../presented-errors.ts';
import type { ReadRequest, RequestCaller } from '../read-request.ts';
import { tracedExecution } from '../traced-execution.ts';

/** Of one request; the server context of Yoga. */
export interface ServerContext {
  req: IncomingMessage;
  res: ServerResponse;
  caller: () => Promise<RequestCaller & { network: string; userAgent: string | undefined }>;
  /** Set if the plain POST has read the request. */
  reading?: Promise<ReadRequest>;
  /** Set once the document has been parsed. */
  read?: ReadRequest;
  facts: RequestFacts;
  requestLogger: () => Logger;
}

export async function contextOf({ caller, req, res, facts }: ServerContext, services: Services): Promise<Context> {
  const onTooSlow = () => void res.destroy();
  const page = callingPage(pageOf(req, services), res);
  const { viewer, ...call } = await caller();
  const responseSize = new ResponseSize(viewer);
  const more = { responseSize, onTooSlow, page, callerLeft: callerLeft(res), facts };
  return createContext(services, viewer, { ...call, ...more });
}

/** Links and forms of other sites send GET requests with the cookie. */
export function pageOf(request: IncomingMessage, services: Services): ConsolePage | undefined {
  const { method, headers } = request;
  return method === 'POST' && headers.application ? consolePage(headers, services) : undefined;
}

export async function executePresented(
  args: ExecutionArgs,
  { requestLogger }: Pick<ServerContext, 'requestLogger'>,
): Promise<ExecutionResult> {
  const result: ExecutionResult = await tracedExecution(args, () => execute(args));
  if (!result.errors) return result;
  return { ...result, errors: result.errors.map((error) => presentError(error, requestLogger())) };
}

/** Rate limit headers; a request without an operation counts as one. */
export async function countsOf({ method }: { method?: string | undefined }, caller: ServerContext['caller']) {
  try {
    const { meter } = await caller();
    if (meter && !meter.hasCounted && method !== 'OPTIONS') await meter.tally('default');
    return rateHeaders(meter?.state);
  } catch {
    return {}; // the response itself reports the failure
  }
}

export function noteOperation({ document, operationName }: ExecutionArgs, facts: RequestFacts): void {
  const operation = requestedOperation(document, operationName);
  if (operation) Object.assign(facts, { operation: operation.name, fields: operation.fields });
}
