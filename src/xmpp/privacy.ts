import type { UserContext } from '../context.ts';
import {
  chooseDefaultList,
  findPrivacyList,
  findPrivacyLists,
  storePrivacyList,
} from '../resolvers/blocks/privacy-lists.ts';
import { blocksOf, type PrivacyItem } from '../resolvers/blocks/rules.ts';
import type { ChatAddresses } from './addresses.ts';
import { BAD_REQUEST, NO_ITEM, stanzaErrorOf, UNAVAILABLE } from './errors.ts';
import { sendIqError, sendResult } from './iq-answers.ts';
import { perform } from './operations.ts';
import { itemsIn, privacyItem } from './privacy-items.ts';
import type { Stanza, StanzaRoute } from './stanza.ts';
import type { XmppStream } from './stream.ts';
import { type Element, NS } from './xml/element.ts';
import { tag, type Xml } from './xml/writer.ts';

export const privacyRoutes: StanzaRoute[] = [
  { stanza: 'iq', matches: (stanza) => isRequest(stanza, 'get'), answer: answering(read) },
  { stanza: 'iq', matches: (stanza) => isRequest(stanza, 'set'), answer: answering(change) },
];

function isRequest({ type, element }: Stanza, wanted: string): boolean {
  return type === wanted && element.find('query', NS.privacy) !== undefined;
}

type Answer = (query: Element, stream: XmppStream) => Promise<Xml[] | undefined>;

/** @param answer yields undefined for a malformed request */
function answering(answer: Answer): StanzaRoute['answer'] {
  return async (stanza, stream) => {
    try {
      const content = await answer(stanza.element.find('query', NS.privacy)!, stream);
      if (content) sendResult(stream, stanza, ...content);
      else sendIqError(stream, stanza, BAD_REQUEST);
    } catch (error) {
      const known = stanzaErrorOf(error, stream);
      sendIqError(stream, stanza, known === UNAVAILABLE ? NO_ITEM : known);
    }
  };
}

async function read(query: Element, stream: XmppStream): Promise<Xml[]> {
  const name = query.find('list')?.attributes.name;
  if (name !== undefined) {
    const items = await perform(stream, (context: UserContext) => findPrivacyList(name, context));
    return [queryOf(tag('list', { name }, ...inPairs(items).map((item) => itemElement(item, stream))))];
  }
  const { names, defaultName } = await perform(stream, findPrivacyLists);
  const active = stream.activeList?.name;
  return [
    queryOf(
      ...(active === undefined ? [] : [tag('active', { name: active })]),
      ...(defaultName === undefined ? [] : [tag('default', { name: defaultName })]),
      ...names.map((one) => tag('list', { name: one })),
    ),
  ];
}

async function change(query: Element, stream: XmppStream): Promise<Xml[] | undefined> {
  const list = query.find('list');
  const [selected, chosen] = [query.find('active'), query.find('default')];
  if (list) return store(list.attributes.name, query, stream);
  if (chosen) {
    await perform(stream, (context: UserContext) => chooseDefaultList(chosen.attributes.name ?? null, context));
    return [];
  }
  if (!selected) return undefined;
  const { name } = selected.attributes;
  const items =
    name === undefined ? [] : await perform(stream, (context: UserContext) => findPrivacyList(name, context));
  stream.activeList = name === undefined ? undefined : { name, blocks: blocksOf(items) };
  return [];
}

async function store(name: string | undefined, query: Element, stream: XmppStream): Promise<Xml[] | undefined> {
  if (name === undefined) return undefined;
  const items = itemsIn(query).map((item) => privacyItem(item, stream.addresses, stream.viewer.applicationId));
  await perform(stream, (context: UserContext) => storePrivacyList(name, items, context));
  if (stream.activeList?.name === name)
    stream.activeList = items.length === 0 ? undefined : { name, blocks: blocksOf(items) };
  return [];
}

/** Clients expect the item with the address of a user before the one of the same user in rooms. */
function inPairs(items: readonly PrivacyItem[]): PrivacyItem[] {
  const pairs = new Map<number | PrivacyItem, PrivacyItem[]>();
  for (const item of items) {
    const key = item.userId ?? item;
    pairs.set(key, [...(pairs.get(key) ?? []), item]);
  }
  return [...pairs.values()].flatMap((pair) => pair.sort((a, b) => Number(a.isInRooms) - Number(b.isInRooms)));
}

function itemElement(item: PrivacyItem, { addresses, viewer }: XmppStream): Xml {
  const { action, order, type, stanzas } = item;
  const value = presentValue(item, addresses, viewer.applicationId);
  return tag('item', { action, order, type, value }, ...stanzas.map((name) => tag(name, {})));
}

/** As the client wrote it, unless the service had another domain then. */
function presentValue({ value, userId, isInRooms }: PrivacyItem, addresses: ChatAddresses, applicationId: number) {
  if (userId === undefined || value === undefined) return value;
  if (isInRooms) return value.startsWith(`${addresses.roomDomain}/`) ? value : `${addresses.roomDomain}/${userId}`;
  return addresses.parse(value) ? value : addresses.user({ applicationId, userId });
}

function queryOf(...content: Xml[]): Xml {
  return tag('query', { xmlns: NS.privacy }, ...content);
}
