import type { ExecutionResult } from 'graphql';
import { MessageType } from 'graphql-ws';

const texts = new WeakMap<ExecutionResult, string>();

/** The JSON of a result, written once for all subscribers who share it. @param present masks its errors */
export function textOf(result: ExecutionResult, present: (result: ExecutionResult) => ExecutionResult): string {
  const text = texts.get(result) ?? JSON.stringify(present(result));
  texts.set(result, text);
  return text;
}

/** Keeps the text of a result that is sent again and again. */
export function keepText(result: ExecutionResult, text: string): void {
  texts.set(result, text);
}

/** The message that carries a result to a subscriber. `graphql-ws` would write the whole result for each of them. */
export function nextMessage(id: string, text: string): string {
  return `{"id":${JSON.stringify(id)},"type":"${MessageType.Next}","payload":${text}}`;
}

/** What the hook `onNext` returns once it has sent the message itself. The library then writes a message with it. */
export const SENT: ExecutionResult = {};

const PLACEHOLDER = `"type":"${MessageType.Next}","payload":${JSON.stringify(SENT)}}`;

/** Whether a message of the library stands for one that has been sent. No other result is empty. */
export function isPlaceholder(message: string): boolean {
  return message.endsWith(PLACEHOLDER);
}
