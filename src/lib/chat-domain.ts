export const CHAT_DOMAIN_RULE = 'must be a host name without port and without the text muc';

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Legacy clients take every address that contains `muc` for that of a room. */
export function isChatDomain(name: string): boolean {
  return name.length <= 253 && !name.includes('muc') && name.split('.').every((label) => LABEL.test(label));
}
