import {
  context,
  DiagLogLevel,
  diag,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { ATTR_SERVICE_NAME } from '@opentelemetry/semantic-conventions';
import type { Logger } from 'pino';
import { ServiceError } from '../../lib/errors.ts';
import { MINUTE, SECOND } from '../../lib/time.ts';
import { redactText } from './redact.ts';
import type { OpenSpan, SpanAttributes, SpanOptions, SpanReference, Tracing } from './tracing.ts';

const FLUSH_TIMEOUT_MS = 2 * SECOND;

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT };

/** The SDK reads the standard `OTEL_…` variables itself. */
export function startOtlp(log: Logger): { tracing: Tracing; stop: () => Promise<void> } {
  reportProblems(log);
  const resource = resourceFromAttributes({ [ATTR_SERVICE_NAME]: 'atrium' });
  const provider = new NodeTracerProvider({
    resource: defaultResource()
      .merge(resource)
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register({ propagator: new W3CTraceContextPropagator() });
  return {
    tracing: new OtlpTracing(),
    async stop() {
      const timeout = new Promise((resolve) => setTimeout(resolve, FLUSH_TIMEOUT_MS).unref());
      await Promise.race([provider.shutdown().catch(() => {}), timeout]);
    },
  };
}

class OtlpTracing implements Tracing {
  readonly #tracer = trace.getTracer('atrium');

  open(name: string, options: SpanOptions = {}): OpenSpan {
    const span = this.#start(name, options);
    const within = trace.setSpan(context.active(), span);
    return {
      run: (work) => context.with(within, work),
      rename: (other) => span.updateName(other),
      set: (attributes) => void span.setAttributes(attributes),
      end: (fault) => {
        if (fault !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: fault });
        span.end();
      },
    };
  }

  span<Result>(name: string, options: SpanOptions, work: () => Result): Result {
    const span = this.#start(name, options);
    return context.with(trace.setSpan(context.active(), span), () => {
      try {
        const result = work();
        if (!(result instanceof Promise)) {
          span.end();
          return result;
        }
        result.then(
          () => span.end(),
          (error) => fail(span, error),
        );
        return result;
      } catch (error) {
        fail(span, error);
        throw error;
      }
    });
  }

  here(): SpanReference | undefined {
    return trace.getActiveSpan() as SpanReference | undefined;
  }

  detached<Result>(work: () => Result): Result {
    return context.with(trace.deleteSpan(context.active()), work);
  }

  #start(name: string, { kind, attributes, from, isRoot, joins }: SpanOptions): Span {
    const spans = [...new Set((joins ?? []) as unknown as (Span | undefined)[])];
    const isShared = spans.length > 1;
    let parent = context.active();
    if (isRoot || from || isShared) parent = trace.deleteSpan(parent);
    if (from) parent = propagation.extract(parent, from, HEADERS);
    if (spans.length === 1) parent = spans[0] ? trace.setSpan(parent, spans[0]) : trace.deleteSpan(parent);
    const links = isShared ? spans.flatMap((span) => (span ? [{ context: span.spanContext() }] : [])) : [];
    return this.#tracer.startSpan(
      name,
      { kind: kind ? KINDS[kind] : SpanKind.INTERNAL, attributes: attributes as SpanAttributes, links },
      parent,
    );
  }
}

const HEADERS = {
  keys: (headers: object) => Object.keys(headers),
  get: (headers: Record<string, string | string[] | undefined>, name: string) => headers[name],
};

/** Records only the kind of an error, because messages may repeat input. */
function fail(span: Span, error: unknown): void {
  if (error instanceof ServiceError) {
    span.setAttribute('error.type', error.code);
  } else {
    const kind = error instanceof Error ? error.name : 'unknown';
    span.setAttribute('error.type', kind);
    span.setStatus({ code: SpanStatusCode.ERROR, message: kind });
  }
  span.end();
}

function reportProblems(log: Logger): void {
  let reportedAt = Number.NEGATIVE_INFINITY;
  const report = (message: string) => {
    if (performance.now() - reportedAt < MINUTE) return;
    reportedAt = performance.now();
    log.warn({ problem: redactText(message).slice(0, 300) }, 'cannot send traces; check OTEL_EXPORTER_OTLP_ENDPOINT');
  };
  const nothing = () => {};
  diag.setLogger({ error: report, warn: report, info: nothing, debug: nothing, verbose: nothing }, DiagLogLevel.WARN);
}
