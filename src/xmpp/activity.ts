import { graphql } from '../graphql/typed-documents.ts';
import { SECOND } from '../lib/time.ts';
import type { UserAddress } from './addresses.ts';
import { NO_ITEM, OVERLOADED, stanzaErrorOf } from './errors.ts';
import { sendIqError, sendResult } from './iq-answers.ts';
import { operate } from './operations.ts';
import type { Stanza, StanzaRoute } from './stanza.ts';
import type { XmppStream } from './stream.ts';
import { NS } from './xml/element.ts';
import { tag } from './xml/writer.ts';

const FindLastSeen = graphql(`query FindChatUser($id: Int!) { user(id: $id) { lastSeenAt } }`);

const FindPresence = graphql(`query FindChatPresence($userIds: [Int!]!) { presence(userIds: $userIds) { online } }`);

export const activityRoutes: StanzaRoute[] = [
  {
    stanza: 'iq',
    document: FindLastSeen,
    matches: ({ type, target, element }) =>
      type === 'get' && target?.kind === 'user' && element.find('query', NS.last) !== undefined,
    answer: findLastSeen,
  },
  {
    stanza: 'iq',
    document: FindPresence,
    matches: ({ type, target, element }) =>
      type === 'get' && target?.kind === 'user' && element.find('ping', NS.ping) !== undefined,
    answer: ping,
  },
];

async function findLastSeen(stanza: Stanza, stream: XmppStream): Promise<void> {
  const { applicationId, userId: id } = stanza.target as UserAddress;
  try {
    if (applicationId !== stream.viewer.applicationId) return sendIqError(stream, stanza, NO_ITEM);
    const { user } = await operate(stream, { document: FindLastSeen, variables: { id } });
    if (user.lastSeenAt === null) return sendIqError(stream, stanza, NO_ITEM);
    const seconds = Math.max(
      0,
      Math.floor((stream.server.services.now().getTime() - user.lastSeenAt.getTime()) / SECOND),
    );
    sendResult(stream, stanza, tag('query', { xmlns: NS.last, seconds }));
  } catch (error) {
    const isOverloaded = stanzaErrorOf(error, stream) === OVERLOADED;
    sendIqError(stream, stanza, isOverloaded ? OVERLOADED : NO_ITEM);
  }
}

/** No answer for users who are offline: clients would count an error as one. */
async function ping({ id, target }: Stanza, stream: XmppStream): Promise<void> {
  const { applicationId, userId } = target as UserAddress;
  if (applicationId !== stream.viewer.applicationId) return;
  const call = { document: FindPresence, variables: { userIds: [userId] }, isReceipt: true };
  const { presence } = await operate(stream, call).catch(() => ({ presence: [] }));
  if (!presence[0]?.online) return;
  const from = stream.addresses.user({ applicationId, userId });
  stream.send(tag('iq', { xmlns: NS.client, type: 'result', id, from, to: stream.address }));
}
