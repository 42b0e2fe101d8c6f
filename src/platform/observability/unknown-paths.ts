import type { IsKnownName } from './request-errors.ts';

const MAX_SEGMENTS = 8;
const NUMBER = /^\d{1,10}$/;

/**
 * The shape of a path without route: names of the service remain, numbers become `:number`, anything else becomes `…`,
 * because paths of clients can contain tokens and personal data. Never contains the query.
 */
export function shapeOfPath(url: string, isKnown: IsKnownName): string {
  const path = url.split(/[?#]/, 1)[0]!;
  const segments = path.split('/').slice(1);
  const shown = segments.slice(0, MAX_SEGMENTS).map((segment) => {
    if (segment === '' || segment.split('.').every(isKnown)) return segment;
    return NUMBER.test(segment) ? ':number' : '…';
  });
  if (segments.length > MAX_SEGMENTS) shown.push('…');
  return `/${shown.join('/')}`;
}
