import type { ResultOf } from 'gql.tada';
import { graphql } from '../graphql/typed-documents.ts';
import { unixSeconds } from '../lib/time.ts';
import { isBlocked } from './blocks.ts';
import { extraParams, field, fieldElements } from './content.ts';
import { sendCarbon } from './dialog-events.ts';
import { eventRoute } from './feed.ts';
import { CALL_MODULE, SYSTEM_MODULE } from './relay.ts';
import type { XmppStream } from './stream.ts';
import { NS } from './xml/element.ts';
import { escaped, joined, NOTHING, tag, type Xml } from './xml/writer.ts';

const Signals = graphql(`subscription ChatSignals {
  signals(includeSent: true) {
    id kind senderId recipientId dialogId text payload resource markable module receiptName receiptOf
    dialog { type isJoinRequired }
  }
}`);

type ReceivedSignal = ResultOf<typeof Signals>['signals'];

const MODULES = { SYSTEM: SYSTEM_MODULE, CALL: CALL_MODULE } as const;

export const signalRoute = eventRoute(Signals, ({ signals: signal }, stream) => {
  if (isBlocked(stream, signal.senderId, isOfRoom(signal) ? 'inGroups' : 'inPrivate')) return undefined;
  if (signal.dialogId !== null && signal.dialog?.type !== 'PRIVATE')
    return deliverToRoom(signal, signal.dialogId, stream);
  if (!stream.isAvailable) return undefined;
  const { userId } = stream.viewer;
  if (signal.recipientId === null && signal.senderId === userId) return undefined;
  const isSent = signal.senderId === userId && signal.recipientId !== userId;
  if (signal.kind !== 'MESSAGE') return isSent ? undefined : stream.send(headlineOf(signal, signal.kind, stream));
  if (signal.senderId === userId && signal.resource === stream.resource) return undefined;
  const message = messageOf(signal, stream);
  if (!isSent) return stream.send(message);
  return signal.text === '' ? undefined : sendCarbon(message, signal.id, stream);
});

function isOfRoom({ dialogId, dialog }: ReceivedSignal): boolean {
  return dialogId !== null && dialog?.type !== 'PRIVATE';
}

function messageOf(signal: ReceivedSignal, stream: XmppStream): Xml {
  const { text, markable, receiptName, receiptOf, payload } = signal;
  const parameters = fieldElements(payload as object, true);
  return tag(
    'message',
    { xmlns: NS.client, ...addressesOf(signal, stream), type: 'chat', id: signal.id },
    bodyOf(text),
    markable ? tag('markable', { xmlns: NS.markers }) : NOTHING,
    receiptName ? tag(receiptName, { xmlns: NS.markers, id: receiptOf }) : NOTHING,
    parameters === NOTHING ? NOTHING : extraParams(parameters),
  );
}

/** Clients fail at one without `extraParams`. */
function headlineOf(signal: ReceivedSignal, kind: keyof typeof MODULES, stream: XmppStream): Xml {
  const module = signal.resource === null ? MODULES[kind] : signal.module;
  return tag(
    'message',
    { xmlns: NS.client, ...addressesOf(signal, stream), type: 'headline', id: signal.id },
    bodyOf(signal.text),
    extraParams(
      module === null ? NOTHING : field('moduleIdentifier', module),
      fieldElements(signal.payload as object, true),
    ),
  );
}

function addressesOf({ senderId, recipientId, resource }: ReceivedSignal, { addresses, viewer }: XmppStream) {
  const { applicationId } = viewer;
  return {
    from: addresses.user({ applicationId, userId: senderId }, resource),
    to: addresses.user({ applicationId, userId: recipientId ?? viewer.userId }),
  };
}

const bodyOf = (text: string) => (text === '' ? NOTHING : tag('body', {}, escaped(text)));

function deliverToRoom(signal: ReceivedSignal, dialogId: string, stream: XmppStream): Promise<void> | undefined {
  const { dialog, senderId, text, markable, payload } = signal;
  const isOpen = dialog?.type === 'GROUP' && !dialog.isJoinRequired && stream.isAvailable;
  if (!isOpen && !stream.joined.has(dialogId)) return undefined;
  const { applicationId } = stream.viewer;
  const { dialog_id: _dialogId, date_sent: _dateSent, ...parameters } = payload as Record<string, unknown>;
  const content = joined([
    bodyOf(text),
    markable && dialog?.type !== 'PUBLIC_GROUP' ? tag('markable', { xmlns: NS.markers }) : NOTHING,
    extraParams(
      field('dialog_id', dialogId),
      field('date_sent', unixSeconds(stream.server.services.now())),
      fieldElements(parameters, true),
    ),
  ]);
  const from = stream.addresses.room({ applicationId, dialogId }, senderId);
  const attributes = { xmlns: NS.client, from, to: stream.address, type: 'groupchat', id: signal.id };
  return stream.send(tag('message', attributes, content));
}
