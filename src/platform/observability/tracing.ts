import type { IncomingHttpHeaders } from 'node:http';

/** Values must never contain user input. */
export type SpanAttributes = Record<string, string | number | boolean | undefined>;

export interface SpanOptions {
  kind?: 'server' | 'client' | undefined;
  attributes?: SpanAttributes | undefined;
  /** Headers with the remote parent span, if any. The current span is not the parent then. */
  from?: IncomingHttpHeaders | undefined;
  isRoot?: boolean | undefined;
  /** The parent if all are the same, otherwise links. */
  joins?: (SpanReference | undefined)[] | undefined;
}

export interface OpenSpan {
  run: <Result>(work: () => Result) => Result;
  rename: (name: string) => void;
  set: (attributes: SpanAttributes) => void;
  end: (fault?: string) => void;
}

export type SpanReference = { readonly span: unique symbol };

export interface Tracing {
  open: (name: string, options?: SpanOptions) => OpenSpan;
  /** Records only the kind of an error. */
  span: <Result>(name: string, options: SpanOptions, work: () => Result) => Result;
  here: () => SpanReference | undefined;
  detached: <Result>(work: () => Result) => Result;
}

/** Undefined unless traces are collected; the SDK is not loaded then. */
export let tracing: Tracing | undefined;

export function collectTraces(collected: Tracing): void {
  tracing = collected;
}

export function traced<Result>(name: string, options: SpanOptions, work: () => Result): Result {
  return tracing ? tracing.span(name, options, work) : work();
}

/** For work that serves several callers or outlives the request. */
export function detached<Result>(work: () => Result): Result {
  return tracing ? tracing.detached(work) : work();
}
