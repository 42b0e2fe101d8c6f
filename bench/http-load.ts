import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type Autocannon from 'autocannon';
import { installTools } from '../scripts/tools.ts';
import type { Figures } from './comparison.ts';

export const CONNECTIONS = 32;

const autocannonFile = join(installTools('load-generator'), 'node_modules/autocannon/autocannon.js');
const { default: autocannon } = (await import(pathToFileURL(autocannonFile).href)) as { default: typeof Autocannon };

export interface HttpLoad {
  url: string;
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  /** Request bodies in rotation; connections start at different positions. */
  bodies?: string[];
  paths?: string[];
  status: number;
  isRight: (body: string) => boolean;
  seconds: number;
  /** 32 if absent. */
  connections?: number;
  onAnswered?: (requests: number) => void;
}

/** @throws on an unexpected status or response, or without any */
export async function httpLoad(load: HttpLoad): Promise<Figures> {
  const { url, method, headers, status, isRight, seconds, connections = CONNECTIONS } = load;
  const requests = requestsOf(load);
  let connection = 0;
  const result = await autocannon({
    url,
    method,
    headers,
    requests,
    connections,
    duration: seconds,
    verifyBody: (body) => isRight(String(body)),
    setupClient: (client) => {
      const first = Math.floor((connection++ * requests.length) / connections);
      if (first > 0) client.setRequests([...requests.slice(first), ...requests.slice(0, first)]);
    },
  });
  const right = result.statusCodeStats?.[`${status}`]?.count ?? 0;
  const answered = result.requests.total;
  if (right === 0 || right !== answered || result.mismatches > 0 || result.errors > 0) {
    const statuses = JSON.stringify(result.statusCodeStats);
    throw new Error(`${method} ${url}: ${statuses}, ${result.mismatches} wrong bodies, ${result.errors} errors`);
  }
  load.onAnswered?.(answered);
  return { 'requests/s': answered / result.duration };
}

function requestsOf({ method, headers, bodies, paths }: HttpLoad): Autocannon.Request[] {
  if (paths) return paths.map((path) => ({ method, headers, path }));
  return bodies?.map((body) => ({ method, headers, body })) ?? [{ method, headers }];
}
