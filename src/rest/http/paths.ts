import type { Parameters } from '../../lib/bracket-keys.ts';
import { readText } from '../../lib/parameter-values.ts';

/** `/users/7.xml`, `/users/7.xml/?x`: the same resource as without suffix, answered as XML. */
export function isXmlPath(url: string): boolean {
  return /^[^?]*\.xml\/?(?:\?|$)/.test(url);
}

/**
 * On `.xml` paths the parameter `token` is a credential. So it is taken out of the parameters: a message
 * would keep it as a custom key, and show it to every reader.
 */
export function takeToken({ token, ...others }: Parameters): { token: string | undefined; parameters: Parameters } {
  return { token: readText(token)?.trim() || undefined, parameters: Object.assign(Object.create(null), others) };
}

/** `/users/7.json/?x`, `/users/7.xml?x` → `/users/7?x`: the suffix and one trailing slash say nothing. */
export function withoutSuffix(url: string): string {
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  const query = end < 0 ? '' : url.slice(end);
  return (path.replace(/(.)\/$/, '$1').replace(/\.(?:json|xml)$/, '') || '/') + query;
}
