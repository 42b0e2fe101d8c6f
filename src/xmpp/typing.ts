import type { ResultOf } from 'gql.tada';
import { graphql } from '../graphql/typed-documents.ts';
import { isBlocked } from './blocks.ts';
import { eventRoute } from './feed.ts';
import { operate } from './operations.ts';
import type { Stanza, StanzaRoute } from './stanza.ts';
import type { XmppStream } from './stream.ts';
import { NS } from './xml/element.ts';
import { tag } from './xml/writer.ts';

const StartTyping = graphql(`mutation StartChatTyping($dialogId: ID, $recipientId: Int) {
  startTyping(dialogId: $dialogId, recipientId: $recipientId)
}`);

const StopTyping = graphql(`mutation StopChatTyping($dialogId: ID, $recipientId: Int) {
  stopTyping(dialogId: $dialogId, recipientId: $recipientId)
}`);

const Typing = graphql(`subscription ChatTyping {
  typing(includeStops: true) { dialogId userId isTyping resource dialog { type isJoinRequired occupantIds } }
}`);

const DOCUMENTS = { composing: StartTyping, paused: StopTyping } as const;

/** Never refused. */
export const typingRoutes: StanzaRoute[] = [stateRoute('composing'), stateRoute('paused')];

function stateRoute(state: keyof typeof DOCUMENTS): StanzaRoute {
  const document = DOCUMENTS[state];
  return {
    stanza: 'message',
    document,
    matches: ({ type, element }) =>
      type !== 'error' && !element.find('body') && element.find(state, NS.states) !== undefined,
    async answer({ target }: Stanza, stream: XmppStream) {
      if (!target || target.kind === 'service' || target.applicationId !== stream.viewer.applicationId) return;
      const variables = target.kind === 'room' ? { dialogId: target.dialogId } : { recipientId: target.userId };
      await operate(stream, { document, variables }).catch(() => {});
    },
  };
}

type TypingEvent = ResultOf<typeof Typing>['typing'];

/** Also to the client that types. */
export const typingRoute = eventRoute(Typing, ({ typing }, stream) => {
  const { dialogId, userId, isTyping, resource, dialog } = typing;
  const { addresses, viewer, joined } = stream;
  const { applicationId } = viewer;
  if (isBlocked(stream, userId, dialog.type === 'PRIVATE' ? 'inPrivate' : 'inGroups')) return undefined;
  const state = tag(isTyping ? 'composing' : 'paused', { xmlns: NS.states });
  if (dialog.type === 'PRIVATE') {
    if (!stream.isAvailable) return undefined;
    const from = addresses.user({ applicationId, userId }, resource);
    const to = addresses.user({ applicationId, userId: otherOf(typing) });
    return stream.send(tag('message', { xmlns: NS.client, from, to, type: 'chat' }, state));
  }
  const isOpen = dialog.type === 'GROUP' && !dialog.isJoinRequired && stream.isAvailable;
  if (!isOpen && !joined.has(dialogId)) return undefined;
  const from = addresses.room({ applicationId, dialogId }, userId);
  return stream.send(tag('message', { xmlns: NS.client, from, to: stream.address, type: 'groupchat' }, state));
});

function otherOf({ userId, dialog }: TypingEvent): number {
  return dialog.occupantIds.find((id) => id !== userId) ?? userId;
}
