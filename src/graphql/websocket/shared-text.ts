import type { ExecutionResult } from 'graphql';
import { MessageType } from 'graphql-ws';

const texts = new WeakMap<ExecutionResult, string>();

/** Serializes once for all subscribers that share the result. @param present masks its errors */
export function textOf(result: ExecutionResult, present: (result: ExecutionResult) => ExecutionResult): string {
  const text = texts.get(result) ?? JSON.stringify(present(result));
  texts.set(result, text);
  return text;
}

export function keepText(result: ExecutionResult, text: string): void {
  texts.set(result, text);
}

/** Reuses the shared text, because `graphql-ws` would serialize the result for each subscriber. */
export function nextMessage(id: string, text: string): string {
  return `{"id":${JSON.stringify(id)},"type":"${MessageType.Next}","payload":${text}}`;
}

/** Returned by `onNext` after it has sent the message itself; graphql-ws then serializes this placeholder. */
export const SENT: ExecutionResult = {};

const PLACEHOLDER = `"type":"${MessageType.Next}","payload":${JSON.stringify(SENT)}}`;

/** Whether graphql-ws sends the placeholder. No other result is empty. */
export function isPlaceholder(message: string): boolean {
  return message.endsWith(PLACEHOLDER);
}
