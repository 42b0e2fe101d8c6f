import { isDatabaseId } from '../lib/tokens.ts';
import type { PrivacyItem } from '../resolvers/blocks/rules.ts';
import type { ChatAddresses } from './addresses.ts';
import type { Element } from './xml/element.ts';
import { isName } from './xml/writer.ts';

/** Clients place them outside of the list. */
export function itemsIn(element: Element): Element[] {
  return element.elements.flatMap((child) => (child.is('item') ? [child] : itemsIn(child)));
}

/** Names the user for whom the value stands. */
export function privacyItem(
  { attributes, elements }: Element,
  addresses: ChatAddresses,
  applicationId: number,
): PrivacyItem {
  const { action = 'deny', order, type, value } = attributes;
  const stanzas = elements.map(({ name }) => name).filter(isName);
  const item = { order: Number(order) || 0, action, type, value, stanzas };
  if (type !== 'jid' || value === undefined) return item;
  const [domain, nick] = value.split('/', 2);
  if (domain === addresses.roomDomain && /^[1-9]\d{0,9}$/.test(nick ?? '') && isDatabaseId(Number(nick)))
    return { ...item, userId: Number(nick), isInRooms: true };
  const target = addresses.parse(value);
  const isUser = target?.kind === 'user' && target.applicationId === applicationId && isDatabaseId(target.userId);
  return isUser ? { ...item, userId: target.userId, isInRooms: false } : item;
}
