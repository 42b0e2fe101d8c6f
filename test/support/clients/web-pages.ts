import { rawRequest } from './raw-http.ts';

export const BROWSER = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

export const page = (path: string) => rawRequest('GET', path, { headers: BROWSER });

export function addressesIn(html: string): string[] {
  return [...html.matchAll(/<(?:script|link|img|iframe|a)\b[^>]*?\b(?:src|href)=["']([^"']+)/gi)].map(
    ([, url]) => url!,
  );
}
