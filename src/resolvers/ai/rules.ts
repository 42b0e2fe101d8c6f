import { isObject, type JsonValue } from '../../lib/json.ts';
import { fieldWords, type Problem, problem } from '../../lib/problems.ts';

export const MAX_MESSAGE = 2000;
export const MAX_TEXT_CHARACTERS = 5000;
export const MAX_LANGUAGE = 100;
export const MAX_CONVERSATION = 100_000;
export const MAX_IMAGES = 20;

export type Turn = { role: 'user' | 'assistant'; message: string };

export type ConversationPart = { type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } };

export interface ConversationMessage {
  role: 'user' | 'assistant' | 'developer';
  content: string | ConversationPart[];
}

/** Characters; ids have no limit. */
const LIMITS: Record<string, number> = { message: MAX_MESSAGE, text: MAX_TEXT_CHARACTERS, toLanguage: MAX_LANGUAGE };

export function textProblems(parameter: string, value: string | null | undefined): Problem[] {
  if (value == null || value.trim() === '') {
    return [problem('PARAMETER_REQUIRED', { parameter, words: fieldWords(parameter) })];
  }
  const most = LIMITS[parameter];
  const isTooLong = most !== undefined && [...value].length > most;
  return isTooLong ? [problem('PARAMETER_TOO_LONG', { parameter, words: fieldWords(parameter), max: most })] : [];
}

/** Null counts as an empty history. */
export function historyProblems(history: unknown): Problem[] {
  const isHistory = history == null || (Array.isArray(history) && history.every(isTurn));
  return isHistory ? [] : ['HISTORY_INVALID'];
}

export function readHistory(history: unknown): Turn[] {
  return (history as Turn[] | null | undefined) ?? [];
}

/** @param imageUrl checks and normalizes an image URL; may throw */
export function readConversation(messages: unknown, imageUrl: (url: unknown) => string): ConversationMessage[] {
  const readPart = (part: ConversationPart): ConversationPart =>
    part.type === 'text'
      ? { type: 'text', text: part.text }
      : { type: 'image_url', image_url: { url: imageUrl(part.image_url.url) } };
  return (messages as ConversationMessage[]).map(({ role, content }) => ({
    role,
    content: typeof content === 'string' ? content : content.map(readPart),
  }));
}

export function conversationProblems(messages: unknown): Problem[] {
  if (!Array.isArray(messages) || messages.length === 0 || !messages.every(isConversationMessage)) {
    return ['MESSAGES_INVALID'];
  }
  const { text, images } = conversationSize(messages);
  return [
    ...(text > MAX_CONVERSATION ? [problem('CONVERSATION_TOO_LONG', { max: MAX_CONVERSATION })] : []),
    ...(images > MAX_IMAGES ? [problem('TOO_MANY_IMAGES', { max: MAX_IMAGES })] : []),
  ];
}

function conversationSize(messages: ConversationMessage[]): { text: number; images: number } {
  const parts = messages.flatMap(({ content }) => (typeof content === 'string' ? [textPart(content)] : content));
  return {
    text: parts.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0),
    images: parts.filter(({ type }) => type === 'image_url').length,
  };
}

function textPart(text: string): ConversationPart {
  return { type: 'text', text };
}

function isTurn(item: unknown): item is Turn {
  if (!isObject(item as JsonValue)) return false;
  const { role, message } = item as Record<string, unknown>;
  return (role === 'user' || role === 'assistant') && typeof message === 'string';
}

function isConversationMessage(item: unknown): item is ConversationMessage {
  if (!isObject(item as JsonValue)) return false;
  const { role, content } = item as Record<string, unknown>;
  const isRole = role === 'user' || role === 'assistant' || role === 'developer';
  return isRole && (typeof content === 'string' || (Array.isArray(content) && content.every(isConversationPart)));
}

function isConversationPart(part: unknown): part is ConversationPart {
  if (!isObject(part as JsonValue)) return false;
  const { type, text, image_url } = part as Record<string, JsonValue>;
  if (type === 'text') return typeof text === 'string';
  return type === 'image_url' && isObject(image_url);
}
