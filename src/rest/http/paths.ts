import type { Parameters } from '../../lib/bracket-keys.ts';
import { readText } from '../../lib/casts.ts';

/** `/users/7.xml`, `/users/7.xml/?x` */
export function isXmlPath(url: string): boolean {
  return /^[^?]*\.xml\/?(?:\?|$)/.test(url);
}

/** Removes the credential from the parameters, because a message would store it as a custom field and show it to readers. */
export function takeToken({ token, ...others }: Parameters): { token: string | undefined; parameters: Parameters } {
  return { token: readText(token)?.trim() || undefined, parameters: Object.assign(Object.create(null), others) };
}

/** `/users/7.json/?x` → `/users/7?x` */
export function withoutSuffix(url: string): string {
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  const query = end < 0 ? '' : url.slice(end);
  return (path.replace(/(.)\/$/, '$1').replace(/\.(?:json|xml)$/, '') || '/') + query;
}
