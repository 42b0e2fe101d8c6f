import type { IncomingMessage } from 'node:http';
import { type ExecutionResult, getOperationAST, OperationTypeNode } from 'graphql';
import type { Services } from '../../context.ts';
import { isObject } from '../../lib/json.ts';
import { type RequestText, readRequest } from '../read-request.ts';
import { contextOf, executePresented, noteOperation, type ServerContext } from './server-context.ts';
import type { LoadYoga } from './yoga.ts';

/** A well-formed POST of one operation, whose response is one JSON document. */
interface PlainRequest {
  text: RequestText & { variables: Record<string, unknown> | null | undefined };
  /** Content type of the response, selected from `Accept` like Yoga does. */
  mediaType: string;
}

const MEMBERS = new Set(['query', 'variables', 'operationName', 'extensions']);
const MEDIA_TYPES = ['application/graphql-response+json', 'application/json'];

/**
 * Answers a plain POST without the Fetch API objects and plugin calls of Yoga, which cost as much CPU time as a small
 * operation (decision 24). Without the call of this function, Yoga answers all requests.
 * @returns undefined for all requests that Yoga answers or rejects: those of another form, invalid documents and
 * variables, subscriptions
 */
export async function answerPlainPost(body: Buffer, server: ServerContext, services: Services, loadYoga: LoadYoga) {
  const plain = plainRequest(server.req, body);
  const result = plain && (await plainResult(plain, server, services));
  return result && responseOf(result, plain, loadYoga);
}

async function plainResult(
  { text }: PlainRequest,
  server: ServerContext,
  services: Services,
): Promise<ExecutionResult | undefined> {
  server.reading = server.caller().then((caller) => readRequest(text, caller, services));
  const read = await server.reading.catch(() => undefined);
  if (!read || read.errors || read.problem) return undefined;
  const { schema, document } = read;
  const { variables: variableValues, operationName } = text;
  const operation = getOperationAST(document, operationName)?.operation;
  if (!operation || operation === OperationTypeNode.SUBSCRIPTION) return undefined;
  const contextValue = await contextOf(server, services);
  const args = { schema, document, variableValues, operationName, contextValue };
  noteOperation(args, server.facts);
  const result = await executePresented(args, server);
  server.facts.errors = result.errors;
  return result;
}

async function responseOf(result: ExecutionResult, { mediaType }: PlainRequest, loadYoga: LoadYoga) {
  if (!result.errors) {
    const text = Buffer.from(JSON.stringify(result));
    const headers = { 'Content-Type': `${mediaType}; charset=utf-8`, 'Content-Length': text.length };
    return { status: 200, headers, text };
  }
  const { yoga, processRegularResult } = await loadYoga();
  const response = processRegularResult(result, yoga.fetchAPI, mediaType);
  return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() };
}

function plainRequest(
  { method, url, headers }: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
  body: Buffer,
): PlainRequest | undefined {
  if (method !== 'POST' || url !== '/graphql' || headers['content-encoding'] !== undefined) return undefined;
  const contentType = headers['content-type'];
  if (contentType !== 'application/json' && contentType !== 'application/json; charset=utf-8') return undefined;
  const mediaType = mediaTypeFor(headers.accept);
  const text = readText(body);
  return mediaType && text ? { text, mediaType } : undefined;
}

function mediaTypeFor(accept = '*/*'): string | undefined {
  for (const wanted of accept.toLowerCase().split(',')) {
    const type = MEDIA_TYPES.findLast((one) => isMatching(one, wanted.trim()));
    if (type) return type;
  }
  return undefined;
}

function isMatching(type: string, wanted: string): boolean {
  return wanted === type || wanted === '*/*' || wanted === 'application/*';
}

function readText(body: Buffer): PlainRequest['text'] | undefined {
  let members: unknown;
  try {
    members = JSON.parse(body.toString());
  } catch {
    return undefined;
  }
  if (!isObject(members) || !Object.keys(members).every((name) => MEMBERS.has(name))) return undefined;
  const { query, variables, operationName, extensions } = members;
  if (typeof query !== 'string' || !isAbsentOr(isObject, variables) || !isAbsentOr(isObject, extensions)) {
    return undefined;
  }
  return isAbsentOr(isText, operationName) ? { query, variables, operationName } : undefined;
}

function isAbsentOr<Type>(isOf: (value: unknown) => value is Type, value: unknown): value is Type | null | undefined {
  return value === undefined || value === null || isOf(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
