import type { IncomingHttpHeaders } from 'node:http';

/** Texts are names of our own, never what anybody sent. */
export type SpanAttributes = Record<string, string | number | boolean | undefined>;

export interface SpanOptions {
  /** `server`: asked from outside. `client`: asks somebody outside. */
  kind?: 'server' | 'client' | undefined;
  attributes?: SpanAttributes | undefined;
  /** Headers that may name the span it goes on from; it has no other parent then. */
  from?: IncomingHttpHeaders | undefined;
  /** Below nothing, whatever is under way. */
  isRoot?: boolean | undefined;
  /** Below the first of them if all are the same; else below nothing, and linked with them. */
  joins?: (SpanReference | undefined)[] | undefined;
}

/** A span that is under way. */
export interface OpenSpan {
  /** What is done in it, is done below it. */
  run: <Result>(work: () => Result) => Result;
  rename: (name: string) => void;
  set: (attributes: SpanAttributes) => void;
  /** @param fault a name for what went wrong on our side */
  end: (fault?: string) => void;
}

/** The span that is under way somewhere; only who made it knows what it is. */
export type SpanReference = { readonly span: unique symbol };

export interface Tracing {
  /** A span that somebody ends. */
  open: (name: string, options?: SpanOptions) => OpenSpan;
  /** Does something in a span below the one under way; a fault is marked in it, by its kind alone. */
  span: <Result>(name: string, options: SpanOptions, work: () => Result) => Result;
  /** Where the caller is; undefined outside any span. */
  here: () => SpanReference | undefined;
  /** What is done in it belongs to no span. */
  detached: <Result>(work: () => Result) => Result;
}

/** The traces of this process. Undefined while nobody collects them: then nothing is loaded for them. */
export let tracing: Tracing | undefined;

/** Set once at the start, before anything is served. */
export function collectTraces(collected: Tracing): void {
  tracing = collected;
}

/** Does something in a span, if anybody collects them. */
export function traced<Result>(name: string, options: SpanOptions, work: () => Result): Result {
  return tracing ? tracing.span(name, options, work) : work();
}

/** Does what is not part of whatever has set it off: it serves others as well, or goes on for long. */
export function detached<Result>(work: () => Result): Result {
  return tracing ? tracing.detached(work) : work();
}
