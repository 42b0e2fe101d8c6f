import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CollectedSpan {
  traceId: string;
  spanId: string;
  /** Undefined for a root span. */
  parentSpanId?: string;
  name: string;
  links: { traceId: string; spanId: string }[];
  attributes: Record<string, unknown>;
}

/** A trace collector on the loopback interface, which receives OTLP in JSON. */
export interface Collector {
  url: string;
  spans: () => CollectedSpan[];
  text: () => string;
  headers: () => Record<string, unknown>;
  stop: () => Promise<void>;
}

// The part of OTLP/JSON that the tests read.
interface Delivery {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: { spans: (Omit<CollectedSpan, 'attributes' | 'links'> & { attributes: Attribute[]; links?: [] })[] }[];
  }[];
}
interface Attribute {
  key: string;
  value: Record<string, unknown>;
}

export async function startCollector(): Promise<Collector> {
  const bodies: string[] = [];
  let headers: Record<string, unknown> = {};
  const server = createServer((request, response) => {
    let body = '';
    headers = request.headers;
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      bodies.push(body);
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => bodies.flatMap((body) => spansOf(JSON.parse(body) as Delivery)),
    text: () => bodies.join('\n'),
    headers: () => headers,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function spansOf({ resourceSpans }: Delivery): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ attributes, links = [], ...span }) => ({
        ...span,
        links,
        attributes: valuesOf([...resource.attributes, ...attributes]),
      })),
    ),
  );
}

function valuesOf(attributes: Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
