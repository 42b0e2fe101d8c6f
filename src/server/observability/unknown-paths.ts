const MAX_SEGMENTS = 8;
const NUMBER = /^\d{1,10}$/;
const WORD = /^[A-Za-z][A-Za-z_.-]{0,19}$/;

/**
 * The shape of a path without route: short words remain, numbers become `:number`, anything else becomes `…`, because
 * paths of clients can contain tokens and personal data. Never contains the query.
 */
export function shapeOfPath(url: string): string {
  const path = url.split(/[?#]/, 1)[0]!;
  const segments = path.split('/').slice(1);
  const shown = segments.slice(0, MAX_SEGMENTS).map((segment) => {
    if (segment === '' || WORD.test(segment)) return segment;
    return NUMBER.test(segment) ? ':number' : '…';
  });
  if (segments.length > MAX_SEGMENTS) shown.push('…');
  return `/${shown.join('/')}`;
}
