import { graphql } from '../graphql/typed-documents.ts';
import type { EventOrigin } from '../realtime/outbox.ts';
import { readParameters } from './content.ts';
import { operate } from './operations.ts';
import type { XmppStream } from './stream.ts';
import type { Element } from './xml/element.ts';

export const CALL_MODULE = 'WebRTCVideoChat';
export const SYSTEM_MODULE = 'SystemNotifications';

export const SendSignal = graphql(
  `mutation SendChatSignal($input: SendSignalInput!) { sendSignal(input: $input) { id } }`,
);

const FindPair = graphql(`query FindChatPair($id: ID!) { dialog(id: $id) { type occupantIds } }`);

interface Relayed {
  element: Element;
  id: string | undefined;
  to: { userId: number } | { dialogId: string };
  kind?: 'MESSAGE' | 'SYSTEM' | 'CALL';
  origin: Omit<EventOrigin, 'resource'>;
  isReceipt?: boolean;
}

/** Delivers a message that is not stored. @throws {GraphQLError} */
export async function relay(
  stream: XmppStream,
  { element, id, to, kind = 'MESSAGE', origin, isReceipt = false }: Relayed,
): Promise<void> {
  const { dialog_id: dialogId, ...parameters } = readParameters(element);
  const isOfPair = 'userId' in to && typeof dialogId === 'string' && (await isPair(dialogId, to.userId, stream));
  const payload = isOfPair ? { dialog_id: dialogId, ...parameters } : parameters;
  const input = { ...to, kind, id: id || null, text: element.find('body')?.text ?? '', payload };
  await operate(stream, { document: SendSignal, variables: { input }, origin, isReceipt, isLimited: !isReceipt });
}

async function isPair(id: string, userId: number, stream: XmppStream): Promise<boolean> {
  try {
    const { dialog } = await operate(stream, { document: FindPair, variables: { id }, isReceipt: true });
    return dialog.type === 'PRIVATE' && dialog.occupantIds.includes(userId);
  } catch {
    return false;
  }
}
