import type { IncomingMessage } from 'node:http';

export const METHODS = ['GET', 'POST', 'OPTIONS'];
export const EXPOSED = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy', 'Retry-After'];

/** Same as the headers of Yoga. */
export function corsHeaders({ headers: { origin } }: IncomingMessage): Record<string, string> {
  if (!origin) return {};
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Methods': METHODS.join(', '),
    'Access-Control-Expose-Headers': EXPOSED.join(', '),
  };
}

/** Responses depend on credential headers that caches do not know. */
export const commonHeaders = (tokenHeaders: readonly string[]): Record<string, string> => ({
  'Cache-Control': 'no-store',
  Vary: [...tokenHeaders, 'Authorization', 'On-Behalf-Of', 'Accept', 'Origin'].join(', '),
  'X-Content-Type-Options': 'nosniff',
});
