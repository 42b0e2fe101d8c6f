import { expect, test } from 'vitest';
import { anonymous, type Caller } from '../fixtures/users.ts';
import { expectCommonHeaders, FORM, JSON_TYPE, rawRequest } from './raw-http.ts';

/**
 * One row of a REST table. `{name}` in a path, body or response is replaced by the value of the cast; a text that is
 * exactly `{name}` keeps the type of the value.
 */
export type Scenario = [
  name: string,
  as: string,
  method: string,
  path: string,
  /** Objects are sent as JSON, texts as a form. */
  body: object | string | undefined,
  status: number,
  /** The complete response: an object for JSON, a text for bytes, undefined for an empty body. */
  answer: unknown,
  headers?: Record<string, string>,
];

export interface Cast {
  callers: Record<string, Caller>;
  values: Record<string, unknown>;
}

/** Registers one test per row, in order; `cast` is called when they run. */
export function testScenarios(cast: () => Cast, rows: Scenario[]): void {
  test.each(rows)('%s (%s: %s %s)', async (_name, as, method, path, body, status, answer, headers = {}) => {
    const { callers, values } = cast();
    const type = typeof body === 'string' ? FORM : JSON_TYPE;
    const given = await rawRequest(method, fill(path, values) as string, {
      as: callerOf(as, callers),
      headers: { ...(body === undefined ? {} : { 'Content-Type': type }), ...headers },
      body: textOf(fill(body, values)),
    });
    expect(bodyOf(given.text, answer)).toEqual(fill(answer, values));
    expect(given.status).toBe(status);
    expectCommonHeaders(given);
  });
}

function callerOf(name: string, callers: Record<string, Caller>): Caller {
  if (name === 'anonymous') return anonymous;
  const caller = callers[name];
  if (!caller) throw new Error(`no caller is called ${name}`);
  return caller;
}

function textOf(body: unknown): string | undefined {
  return body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
}

function bodyOf(text: string, expected: unknown): unknown {
  if (typeof expected === 'string') return text;
  return text === '' ? undefined : JSON.parse(text);
}

function fill(value: unknown, values: Record<string, unknown>): unknown {
  if (typeof value === 'string') return fillText(value, values);
  if (Array.isArray(value)) return value.map((item) => fill(item, values));
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [fillText(key, values), fill(member, values)]),
  );
}

function fillText(text: string, values: Record<string, unknown>): unknown {
  const [, whole] = /^\{(\w+)\}$/.exec(text) ?? [];
  if (whole !== undefined && whole in values) return values[whole];
  return text.replace(/\{(\w+)\}/g, (match, name: string) => (name in values ? String(values[name]) : match));
}
