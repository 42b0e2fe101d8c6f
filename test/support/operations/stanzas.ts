import { type XmlElement, xml } from '@xmpp/client';
import fc from 'fast-check';
import type { UserContext } from '../../../src/context.ts';
import {
  chooseDefaultList,
  findPrivacyList,
  findPrivacyLists,
  storePrivacyList,
} from '../../../src/resolvers/blocks/privacy-lists.ts';
import type { PrivacyItem } from '../../../src/resolvers/blocks/rules.ts';
import { acceptContact, withdrawContact } from '../../../src/resolvers/chat-contacts/change.ts';
import { CHAT_DOMAIN } from '../clients/xmpp.ts';
import { any, type Id, mostly, type Pick as Place, perhaps, ref, text, wellFormed } from './values.ts';

type Values = Record<string, Id | undefined>;

/** Addresses of an application. */
export class Addresses {
  readonly #applicationId: number;

  constructor(applicationId: number) {
    this.#applicationId = applicationId;
  }

  user(id: Id | undefined): string {
    return `${id}-${this.#applicationId}@${CHAT_DOMAIN}`;
  }

  room(id: Id | undefined, nick?: Id): string {
    return `${this.#applicationId}_${id}@muc.${CHAT_DOMAIN}${nick === undefined ? '' : `/${nick}`}`;
  }
}

interface Stanza {
  /** Arguments, with references instead of ids. */
  args: Record<string, fc.Arbitrary<Id | undefined>>;
  write: (args: Values, at: Addresses) => XmlElement;
  /** Public rooms, and those that require it, must be joined first; no operation does. */
  joins?: true;
  /** Which have an answer: with the id of the stanza, or an error. */
  answers: 'all' | 'refused' | 'none';
  /** The operation that it stands for; undefined if it changes nothing. */
  graphql?: { document: string; variables: (args: Values) => object; isRefused?: (data: never) => boolean };
  /** The resolver that it stands for, if only legacy clients use it. */
  resolve?: (args: Values, context: UserContext) => Promise<unknown>;
}

export interface NamedStanza extends Stanza {
  name: string;
  /** Arguments that are served once. */
  example: Values;
}

const user = ref('user') as unknown as (place: Place) => Id;
const dialog = ref('dialog') as unknown as (place: Place) => Id;
const message = ref('message') as unknown as (place: Place) => Id;

const MARKERS = 'urn:xmpp:chat-markers:0';
const PRIVACY = 'jabber:iq:privacy';
const MUC = 'http://jabber.org/protocol/muc';
const id = fc.constantFrom('i1', 'i2');
const messageId = perhaps(fc.constantFrom('6560a1b2c3d4e5f601234567', '6560a1b2c3d4e5f601234568', 'own-1', 'own-2'));
/** Groups of the fixtures, which clients address as rooms, and what is none. */
const group = fc.constantFrom(dialog(0), dialog(0), dialog(1), dialog('unknown'), dialog('foreign'));
const person = wellFormed('user');

const body = (value: Id | undefined) => (value === undefined ? [] : [xml('body', {}, String(value))]);
const parameters = (values: Record<string, unknown>) =>
  xml(
    'extraParams',
    { xmlns: 'jabber:client' },
    ...Object.entries(values).map(([name, value]) => xml(name, {}, String(value))),
  );
const iq = (type: string, values: Values, to: string | undefined, ...content: XmlElement[]) =>
  xml('iq', { type, id: values.id, ...(to && { to }) }, ...content);
const withId = (attributes: object, values: Values) => ({ ...attributes, ...(values.id && { id: values.id }) });

const STORED = { save_to_history: 1, color: 'red' };
const SEND = 'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { id } }';
const SIGNAL = 'mutation ($input: SendSignalInput!) { sendSignal(input: $input) { id } }';
const DIALOG = 'query ($id: ID!) { dialog(id: $id) { type joinedUserIds } }';
const isPrivate = ({ dialog }: { dialog: { type: string } }) => dialog.type === 'PRIVATE';

function typing(state: 'composing' | 'paused', field: string): Record<string, Stanza & { example: Values }> {
  const element = () => xml(state, 'http://jabber.org/protocol/chatstates');
  const document = `mutation ($dialogId: ID, $recipientId: Int) { ${field}(dialogId: $dialogId, recipientId: $recipientId) }`;
  return {
    [`${state} to a user`]: {
      args: { to: person },
      example: { to: user(1) },
      answers: 'none',
      write: ({ to }, at) => xml('message', { to: at.user(to), type: 'chat' }, element()),
      graphql: { document, variables: ({ to }) => ({ recipientId: to }) },
    },
    [`${state} in a room`]: {
      args: { to: group },
      example: { to: dialog(0) },
      joins: true,
      answers: 'none',
      write: ({ to }, at) => xml('message', { to: at.room(to), type: 'groupchat' }, element()),
      graphql: { document, variables: ({ to }) => ({ dialogId: to }) },
    },
  };
}

function subscription(
  type: string,
  meaning: Pick<Stanza, 'graphql' | 'resolve'>,
): Record<string, Stanza & { example: Values }> {
  return {
    [type]: {
      args: { to: person },
      example: { to: user(1) },
      answers: 'none',
      write: ({ to }, at) => xml('presence', { to: at.user(to), type }),
      ...meaning,
    },
  };
}

const contact = (field: string) => ({
  graphql: {
    document: `mutation ($userId: Int!) { ${field}(userId: $userId) { userId } }`,
    variables: ({ to }: Values) => ({ userId: to }),
  },
});

const items = (userId: Id | undefined, at: Addresses) => [
  xml(
    'item',
    { action: 'deny', order: '1', type: 'jid', value: at.user(userId) },
    ...['message', 'presence-in', 'presence-out', 'iq'].map((name) => xml(name)),
  ),
  xml('item', { action: 'deny', order: '2', type: 'jid', value: `muc.${CHAT_DOMAIN}/${userId}` }, xml('message')),
];

/** As a route must read them. */
function blockOf(userId: number, { viewer }: UserContext): PrivacyItem[] {
  const at = new Addresses(viewer.applicationId);
  const deny = { action: 'deny', type: 'jid', userId };
  return [
    {
      ...deny,
      order: 1,
      value: at.user(userId),
      stanzas: ['message', 'presence-in', 'presence-out', 'iq'],
      isInRooms: false,
    },
    { ...deny, order: 2, value: `muc.${CHAT_DOMAIN}/${userId}`, stanzas: ['message'], isInRooms: true },
  ];
}

/** Each stanza of legacy clients that a route of the service answers, in an order in which the examples are served. */
const ALL: Record<string, Stanza & { example: Values }> = {
  'available presence': { args: {}, example: {}, answers: 'none', write: () => xml('presence') },
  'a message to a user': {
    args: { to: person, id: messageId, body: mostly(text) },
    example: { to: user(1), id: 'own-1', body: 'hello' },
    answers: 'refused',
    write: (values, at) =>
      xml(
        'message',
        withId({ to: at.user(values.to), type: 'chat' }, values),
        ...body(values.body),
        parameters(STORED),
      ),
    graphql: {
      document: SEND,
      variables: (values) => ({
        input: {
          recipientId: values.to,
          id: values.id,
          text: values.body,
          customFields: { color: 'red' },
          sendToChat: true,
        },
      }),
    },
  },
  'a message to a room': {
    args: { to: group, id: messageId, body: mostly(text) },
    example: { to: dialog(0), id: '6560a1b2c3d4e5f601234569', body: 'hello' },
    answers: 'refused',
    joins: true,
    write: (values, at) =>
      xml(
        'message',
        withId({ to: at.room(values.to), type: 'groupchat' }, values),
        ...body(values.body),
        parameters(STORED),
      ),
    graphql: {
      document: SEND,
      variables: (values) => ({
        input: {
          dialogId: values.to,
          id: values.id,
          text: values.body,
          customFields: { color: 'red' },
          sendToChat: true,
        },
      }),
    },
  },
  'an unsaved message': {
    args: { to: person, id: messageId, body: text },
    example: { to: user(1), id: 'own-9', body: 'psst' },
    answers: 'refused',
    write: (values, at) =>
      xml(
        'message',
        withId({ to: at.user(values.to), type: 'chat' }, values),
        ...body(values.body),
        parameters({ color: 'red' }),
      ),
    graphql: {
      document: SIGNAL,
      variables: (values) => ({
        input: { userId: values.to, id: values.id, kind: 'MESSAGE', text: values.body, payload: { color: 'red' } },
      }),
    },
  },
  'a system message': {
    args: { to: person, id: messageId, body: text },
    example: { to: user(1), body: 'notice' },
    answers: 'none',
    write: (values, at) =>
      xml(
        'message',
        withId({ to: at.user(values.to), type: 'headline' }, values),
        ...body(values.body),
        parameters({ moduleIdentifier: 'SystemNotifications', color: 'red' }),
      ),
    graphql: {
      document: SIGNAL,
      variables: (values) => ({
        input: { userId: values.to, id: values.id, kind: 'SYSTEM', text: values.body, payload: { color: 'red' } },
      }),
    },
  },
  'a receipt': {
    args: { message: fc.nat(5).map(message) as fc.Arbitrary<Id>, to: person },
    example: { message: message(0), to: user(0) },
    answers: 'none',
    write: (values, at) =>
      xml(
        'message',
        { to: at.user(values.to), type: 'chat' },
        xml('displayed', { xmlns: MARKERS, id: values.message }),
      ),
    graphql: {
      document: 'mutation ($id: ID!) { updateMessages(ids: [$id], input: { read: true }) { id } }',
      variables: (values) => ({ id: values.message }),
    },
  },
  ...typing('composing', 'startTyping'),
  ...typing('paused', 'stopTyping'),
  'an error': {
    args: { to: person },
    example: { to: user(1) },
    answers: 'none',
    write: ({ to }, at) => xml('message', { to: at.user(to), type: 'error', id: 'e' }, xml('body', {}, 'x')),
  },
  'a message without content': {
    args: { to: person },
    example: { to: user(1) },
    answers: 'none',
    write: ({ to }, at) => xml('message', { to: at.user(to), type: 'chat', id: 'e' }),
  },
  'a message to another kind of address': {
    args: { to: group },
    example: { to: dialog(0) },
    answers: 'refused',
    write: ({ to }, at) => xml('message', { to: at.room(to), type: 'chat', id: 'e' }, xml('body', {}, 'x')),
  },
  'a join': {
    args: { to: any('dialog'), id },
    example: { to: dialog(0), id: 'j' },
    answers: 'all',
    write: (values, at) => xml('presence', { to: at.room(values.to, 1), id: values.id }, xml('x', MUC)),
    graphql: { document: DIALOG, variables: ({ to }) => ({ id: to }), isRefused: isPrivate },
  },
  'who is in a room': {
    args: { to: group, id },
    example: { to: dialog(0), id: 'w' },
    answers: 'all',
    write: (values, at) =>
      iq('get', values, at.room(values.to), xml('query', 'http://jabber.org/protocol/disco#items')),
    graphql: { document: DIALOG, variables: ({ to }) => ({ id: to }), isRefused: isPrivate },
  },
  'a leave': {
    args: { to: any('dialog') },
    example: { to: dialog(0) },
    answers: 'none',
    write: ({ to }, at) => xml('presence', { to: at.room(to, 1), type: 'unavailable' }),
  },
  ...subscription('subscribe', contact('requestContact')),
  'a removal of a contact': {
    args: { to: person, id },
    example: { to: user(1), id: 'r' },
    answers: 'all',
    write: (values, at) =>
      iq(
        'set',
        values,
        undefined,
        xml('query', 'jabber:iq:roster', xml('item', { jid: at.user(values.to), subscription: 'remove' })),
      ),
    ...contact('removeContact'),
  },
  ...subscription('subscribed', { resolve: ({ to }, context) => acceptContact(Number(to), context, false) }),
  ...subscription('unsubscribe', { resolve: ({ to }, context) => withdrawContact(Number(to), context) }),
  ...subscription('unsubscribed', contact('rejectContact')),
  roster: {
    args: { id },
    example: { id: 'r' },
    answers: 'all',
    write: (values) => iq('get', values, undefined, xml('query', 'jabber:iq:roster')),
    graphql: { document: '{ chatContacts { userId } }', variables: () => ({}) },
  },
  'last activity': {
    args: { to: person, id },
    example: { to: user(1), id: 'l' },
    answers: 'all',
    write: (values, at) => iq('get', values, at.user(values.to), xml('query', 'jabber:iq:last')),
    graphql: {
      document: 'query ($id: Int!) { user(id: $id) { lastSeenAt } }',
      variables: ({ to }) => ({ id: to }),
      isRefused: ({ user }: { user: { lastSeenAt: string | null } }) => user.lastSeenAt === null,
    },
  },
  'a ping of a user': {
    args: { to: person, id },
    example: { to: user(1), id: 'p' },
    answers: 'none',
    write: (values, at) => iq('get', values, at.user(values.to), xml('ping', 'urn:xmpp:ping')),
    graphql: {
      document: 'query ($ids: [Int!]!) { presence(userIds: $ids) { online } }',
      variables: ({ to }) => ({ ids: [to] }),
    },
  },
  'a privacy list': {
    args: { to: person, id },
    example: { to: user(3), id: 'v' },
    answers: 'all',
    write: (values, at) =>
      iq('set', values, undefined, xml('query', PRIVACY, xml('list', { name: 'L' }, ...items(values.to, at)))),
    resolve: ({ to }, context) => storePrivacyList('L', blockOf(Number(to), context), context),
  },
  'a default list': {
    args: { name: fc.constantFrom('L', 'none', undefined), id },
    example: { name: 'L', id: 'v' },
    answers: 'all',
    write: (values) =>
      iq('set', values, undefined, xml('query', PRIVACY, xml('default', values.name ? { name: values.name } : {}))),
    resolve: ({ name }, context) => chooseDefaultList(name === undefined ? null : String(name), context),
  },
  'a look at a privacy list': {
    args: { name: fc.constantFrom('L', 'none'), id },
    example: { name: 'L', id: 'v' },
    answers: 'all',
    write: (values) => iq('get', values, undefined, xml('query', PRIVACY, xml('list', { name: values.name }))),
    resolve: ({ name }, context) => findPrivacyList(String(name), context),
  },
  'a look at all privacy lists': {
    args: { id },
    example: { id: 'v' },
    answers: 'all',
    write: (values) => iq('get', values, undefined, xml('query', PRIVACY)),
    resolve: (_args, context) => findPrivacyLists(context),
  },
  'a result': {
    args: { id },
    example: { id: 'x' },
    answers: 'none',
    write: (values) => iq('result', values, undefined),
  },
  session: {
    args: { id },
    example: { id: 's' },
    answers: 'all',
    write: (values) => iq('set', values, CHAT_DOMAIN, xml('session', 'urn:ietf:params:xml:ns:xmpp-session')),
  },
  carbons: {
    args: { id },
    example: { id: 'c' },
    answers: 'all',
    write: (values) => iq('set', values, undefined, xml('enable', 'urn:xmpp:carbons:2')),
  },
  'an unknown request': {
    args: { id },
    example: { id: 'u' },
    answers: 'all',
    write: (values) => iq('get', values, CHAT_DOMAIN, xml('query', 'jabber:iq:time')),
    resolve: () => Promise.reject(new Error('refused')),
  },
  'unavailable presence': {
    args: {},
    example: {},
    answers: 'none',
    write: () => xml('presence', { type: 'unavailable' }),
  },
};

export const stanzas: NamedStanza[] = Object.entries(ALL).map(([name, one]) => ({ name, ...one }));
