import supertest from 'supertest';
import { running } from '../app/app.ts';
import { anonymous, type Caller } from '../fixtures/users.ts';
import { expectDocumented } from './openapi.ts';

export interface RestCall {
  as?: Caller;
  json?: unknown;
  /** URL-encoded form. */
  form?: string;
  headers?: Record<string, string>;
}

export interface RestAnswer {
  status: number;
  headers: Headers;
  text: string;
  /** Undefined if the body is empty or not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any;
}

/** Sends a REST request, and compares the response with the OpenAPI document. */
export async function rest(
  method: string,
  path: string,
  { as = anonymous, json, form, headers = {} }: RestCall = {},
): Promise<RestAnswer> {
  const body = json === undefined ? form : JSON.stringify(json);
  const type = json !== undefined ? 'application/json' : 'application/x-www-form-urlencoded';
  const response = await supertest(running.url)
    [verbOf(method)](path)
    .redirects(5)
    .set({ ...(body === undefined ? {} : { 'Content-Type': type }), ...as.headers, ...headers })
    .buffer(true)
    .parse(readText)
    .send(body);
  const { status } = response;
  const text = typeof response.body === 'string' ? response.body : '';
  const received = new Headers(response.headers);
  const contentType = received.get('content-type');
  expectDocumented(method, path, { status, contentType, text });
  const isJson = text !== '' && contentType?.startsWith('application/json');
  return { status, headers: received, text, body: isJson ? JSON.parse(text) : undefined };
}

type Verb = 'get' | 'head' | 'post' | 'put' | 'delete' | 'options';

function verbOf(method: string): Verb {
  return method.toLowerCase() as Verb;
}

/** Returns the body as text, because a response with invalid JSON must not fail before it is compared. */
function readText(received: unknown, done: (error: Error | null, body: string) => void): void {
  const response = received as NodeJS.ReadableStream;
  const chunks: Buffer[] = [];
  response.on('data', (chunk: Buffer | string) => chunks.push(Buffer.from(chunk)));
  response.on('end', () => done(null, Buffer.concat(chunks).toString()));
}
