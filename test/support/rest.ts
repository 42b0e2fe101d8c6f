import { running } from './app.ts';
import { expectDocumented } from './documented.ts';
import { type Caller, nobody } from './users.ts';

export interface RestCall {
  as?: Caller;
  /** Body as JSON. */
  json?: unknown;
  /** Body as a form, as text on the wire. */
  form?: string;
  headers?: Record<string, string>;
}

export interface RestAnswer {
  status: number;
  headers: Headers;
  text: string;
  /** The body; undefined when it is empty or no JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any;
}

/** One REST call to the running service, whose answer has to be as the document says. `fetch` refuses bodies of GET, so it is not used for those. */
export async function rest(
  method: string,
  path: string,
  { as = nobody, json, form, headers = {} }: RestCall = {},
): Promise<RestAnswer> {
  const body = json === undefined ? form : JSON.stringify(json);
  const type = json !== undefined ? 'application/json' : 'application/x-www-form-urlencoded';
  const response = await fetch(running.url + path, {
    method,
    body,
    headers: { ...(body === undefined ? {} : { 'Content-Type': type }), ...as.headers, ...headers },
  });
  const text = await response.text();
  expectDocumented(method, path, { status: response.status, contentType: response.headers.get('content-type'), text });
  const isJson = text !== '' && response.headers.get('content-type')?.startsWith('application/json');
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
}
