import { randomUUID } from 'node:crypto';
import type { ResultOf } from 'gql.tada';
import type { UserContext } from '../context.ts';
import { graphql } from '../graphql/typed-documents.ts';
import { acceptContact, withdrawContact } from '../resolvers/chat-contacts/change.ts';
import type { UserAddress } from './addresses.ts';
import { isBlocked } from './blocks.ts';
import { NO_ITEM, stanzaErrorOf, UNAVAILABLE } from './errors.ts';
import { eventRoute, follow } from './feed.ts';
import { sendIqError, sendResult } from './iq-answers.ts';
import { operate, perform } from './operations.ts';
import type { Stanza, StanzaRoute } from './stanza.ts';
import type { XmppStream } from './stream.ts';
import { NS } from './xml/element.ts';
import { tag, type Xml } from './xml/writer.ts';

const ListContacts = graphql(`query ListChatContacts { chatContacts { userId subscription requested pending } }`);
const RequestContact = graphql(`mutation RequestChatContact($userId: Int!) {
  requestContact(userId: $userId) { subscription }
}`);
const RejectContact = graphql(
  `mutation RejectChatContact($userId: Int!) { rejectContact(userId: $userId) { userId } }`,
);
const RemoveContact = graphql(
  `mutation RemoveChatContact($userId: Int!) { removeContact(userId: $userId) { userId } }`,
);
const ContactChanged = graphql(`subscription ChatContactChanged {
  contactChanged { action initiatorId contact { userId subscription requested pending } }
}`);
const Presence = graphql(
  `subscription ChatPresence($userIds: [Int!]!) { presence(userIds: $userIds) { userId online } }`,
);

/** Of one subscription to presence. */
const MAX_FOLLOWED = 100;

type Contact = ResultOf<typeof ListContacts>['chatContacts'][number];

const isSeen = ({ subscription }: Contact) => subscription === 'TO' || subscription === 'BOTH';

type Answer = (userId: number, stream: XmppStream) => Promise<unknown>;

const SUBSCRIPTION_STANZAS: Record<string, { document?: StanzaRoute['document']; answer: Answer }> = {
  subscribe: {
    document: RequestContact,
    async answer(userId, stream) {
      const { requestContact } = await operate(stream, { document: RequestContact, variables: { userId } });
      const isAccepted = requestContact.subscription === 'TO' || requestContact.subscription === 'BOTH';
      if (isAccepted) stream.send(subscriptionStanza('subscribed', userId, stream));
    },
  },
  subscribed: {
    answer: (userId, stream) => perform(stream, (context: UserContext) => acceptContact(userId, context, false)),
  },
  unsubscribe: {
    answer: (userId, stream) => perform(stream, (context: UserContext) => withdrawContact(userId, context)),
  },
  unsubscribed: {
    document: RejectContact,
    answer: (userId, stream) => operate(stream, { document: RejectContact, variables: { userId } }),
  },
};

export const contactRoutes: StanzaRoute[] = [
  ...Object.entries(SUBSCRIPTION_STANZAS).map(
    ([name, { document, answer }]): StanzaRoute => ({
      stanza: 'presence',
      ...(document && { document }),
      matches: ({ type, target }) => type === name && target?.kind === 'user',
      // Old clients cannot digest an error here.
      answer: async ({ target }, stream) => {
        const { applicationId, userId } = target as UserAddress;
        if (applicationId === stream.viewer.applicationId) await answer(userId, stream).catch(() => {});
      },
    }),
  ),
  {
    stanza: 'iq',
    document: ListContacts,
    matches: ({ type, element }) => type === 'get' && element.find('query', NS.roster) !== undefined,
    answer: listContacts,
  },
  {
    stanza: 'iq',
    document: RemoveContact,
    matches: ({ type, element }) => type === 'set' && element.find('query', NS.roster) !== undefined,
    answer: changeRoster,
  },
];

/** Clients count as connected once it is answered, so that a failure yields an empty list. */
async function listContacts(stanza: Stanza, stream: XmppStream): Promise<void> {
  const contacts = await operate(stream, { document: ListContacts, variables: {} }).then(
    ({ chatContacts }) => chatContacts,
    () => [],
  );
  const items = contacts.filter(isListed).map((contact) => itemOf(contact, stream));
  sendResult(stream, stanza, tag('query', { xmlns: NS.roster }, ...items));
}

/** Names and groups of contacts are not stored. */
async function changeRoster(stanza: Stanza, stream: XmppStream): Promise<void> {
  const item = stanza.element.find('query')!.find('item');
  const target = item && stream.addresses.parse(item.attributes.jid ?? '');
  if (item?.attributes.subscription !== 'remove') return sendResult(stream, stanza);
  if (target?.kind !== 'user' || target.applicationId !== stream.viewer.applicationId)
    return sendIqError(stream, stanza, NO_ITEM);
  try {
    await operate(stream, { document: RemoveContact, variables: { userId: target.userId } });
    sendResult(stream, stanza);
  } catch (error) {
    const known = stanzaErrorOf(error, stream);
    sendIqError(stream, stanza, known === UNAVAILABLE ? NO_ITEM : known);
  }
}

/** Not a user who only asks. */
function isListed({ subscription, requested }: Contact): boolean {
  return subscription !== 'NONE' || requested;
}

function itemOf(contact: Contact, { addresses, viewer: { applicationId } }: XmppStream): Xml {
  const { userId, subscription, requested } = contact;
  const jid = addresses.user({ applicationId, userId });
  const ask = requested ? 'subscribe' : undefined;
  return tag('item', { jid, subscription: isListed(contact) ? subscription.toLowerCase() : 'remove', ask });
}

function subscriptionStanza(type: string, userId: number, { addresses, viewer }: XmppStream): Xml {
  const from = addresses.user({ applicationId: viewer.applicationId, userId });
  return tag('presence', { xmlns: NS.client, from, to: addresses.user(viewer), type });
}

const OF_ACTION = {
  REQUESTED: ['subscribe'],
  ACCEPTED: ['subscribed'],
  REJECTED: ['unsubscribed'],
  WITHDRAWN: ['unsubscribe'],
  REMOVED: ['unsubscribe', 'unsubscribed'],
} as const;

export const contactRoute = eventRoute(ContactChanged, ({ contactChanged }, stream) => {
  const { action, initiatorId, contact } = contactChanged;
  if (!stream.isAvailable) return undefined;
  const isOfOther = initiatorId === contact.userId;
  if (!isOfOther || action !== 'REQUESTED' || isListed(contact)) pushItem(contact, stream);
  if (isSeen(contact)) void followContacts([contact.userId], stream);
  else stream.contacts.delete(contact.userId);
  if (!isOfOther || isBlocked(stream, contact.userId, 'inPrivate')) return undefined;
  const types: string[] = [...OF_ACTION[action], ...(action === 'ACCEPTED' && contact.pending ? ['subscribe'] : [])];
  let sent: Promise<void> | undefined;
  for (const type of types) sent = stream.send(subscriptionStanza(type, contact.userId, stream));
  return sent;
});

function pushItem(contact: Contact, stream: XmppStream): void {
  const query = tag('query', { xmlns: NS.roster }, itemOf(contact, stream));
  stream.send(tag('iq', { xmlns: NS.client, type: 'set', id: randomUUID(), to: stream.address }, query));
}

/** Requests are repeated until they are answered, and the contacts who are online appear. */
export async function showContacts(stream: XmppStream): Promise<void> {
  const { chatContacts } = await operate(stream, { document: ListContacts, variables: {} });
  for (const { userId, pending } of chatContacts)
    if (pending) stream.send(subscriptionStanza('subscribe', userId, stream));
  await followContacts(
    chatContacts.filter(isSeen).map(({ userId }) => userId),
    stream,
  );
}

async function followContacts(userIds: number[], stream: XmppStream): Promise<void> {
  const unknown = userIds.filter((userId) => !stream.contacts.has(userId));
  for (const userId of unknown) stream.contacts.set(userId, false);
  for (let start = 0; start < unknown.length; start += MAX_FOLLOWED) {
    const variables = { userIds: unknown.slice(start, start + MAX_FOLLOWED) };
    await follow(stream, [presenceRoute], variables);
  }
}

/** By user: clients show whether a contact is online, on any transport. */
const presenceRoute = eventRoute(Presence, ({ presence: { userId, online } }, stream) => {
  const before = stream.contacts.get(userId);
  if (before === undefined || before === online || isBlocked(stream, userId, 'inPrivate')) return undefined;
  stream.contacts.set(userId, online);
  if (!stream.isAvailable) return undefined;
  const { addresses, viewer } = stream;
  const from = addresses.user({ applicationId: viewer.applicationId, userId });
  const type = online ? undefined : 'unavailable';
  return stream.send(tag('presence', { xmlns: NS.client, from, to: addresses.user(viewer), type }));
});
