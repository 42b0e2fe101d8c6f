import { columnNames } from '../../db/columns.ts';
import type { Message, Prisma } from '../../generated/prisma/client.ts';
import { UnprocessableError } from '../../lib/errors.ts';

/** A file or other thing sent along; keys beyond these are kept as sent. */
export interface Attachment {
  type: string;
  id?: string;
  url?: string;
  [key: string]: unknown;
}

/** As it is stored. */
type StoredContent = Pick<Message, 'text' | 'attachments' | 'customFields'>;

interface MessageContent {
  text: string;
  attachments: unknown[];
  customFields: Record<string, unknown>;
}

export const MAX_BYTES = 32 * 1024;
export const MAX_ATTACHMENTS = 20;
export const BLANK = "Message can't be blank";

/** Names that a custom key can't take: those of the legacy record, which shows these columns by other names or not. */
const RESERVED_KEYS = new Set([
  ...columnNames('Message', ['applicationId', 'id', 'dialogId', 'seq', 'text', 'customFields']),
  ...['_id', 'chat_dialog_id', 'message', 'read', 'read_ids', 'delivered', 'delivered_ids', 'reactions'],
  ...['save_to_history', 'markable'],
]);

/** Custom keys without those that would shadow a field of the record. */
export function withoutReservedKeys(customFields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(customFields).filter(([key]) => !RESERVED_KEYS.has(key)));
}

/**
 * A message's content as it is stored: text trimmed at the end, ids of attachments as text.
 * @param addressProblems sentences about whom it goes to, which are told together with those about the content
 * @throws {UnprocessableError} with all sentences that apply
 */
export function checkedContent(
  { text, attachments, customFields }: MessageContent,
  addressProblems: string[] = [],
): StoredContent {
  const checked = attachments.map(attachment);
  const content: StoredContent = {
    text: text.trimEnd(),
    attachments: checked as Prisma.JsonArray,
    customFields: withoutReservedKeys(customFields) as Prisma.JsonObject,
  };
  const problems = [...addressProblems];
  if (isBlank(content)) problems.push(BLANK);
  problems.push(...textProblems(content.text));
  if (Buffer.byteLength(JSON.stringify(content.customFields)) > MAX_BYTES) {
    problems.push(`Custom parameters are too large (maximum is ${MAX_BYTES} bytes)`);
  }
  if (attachments.length > MAX_ATTACHMENTS) problems.push(`Too many attachments (maximum is ${MAX_ATTACHMENTS})`);
  if (checked.includes(undefined)) problems.push('Attachment should have type and id');
  if (problems.length > 0) throw new UnprocessableError(...problems);
  return content;
}

/**
 * The new text of a message, trimmed at the end.
 * @throws {UnprocessableError} it is too long
 */
export function checkedText(text: string): string {
  const trimmed = text.trimEnd();
  const problems = textProblems(trimmed);
  if (problems.length > 0) throw new UnprocessableError(...problems);
  return trimmed;
}

/** Whether there is anything in a message: a text, an attachment or a custom key. */
export function isBlank({ text, attachments, customFields }: StoredContent): boolean {
  return text === '' && [attachments, customFields].every((json) => Object.keys(json ?? {}).length === 0);
}

function textProblems(text: string): string[] {
  return Buffer.byteLength(text) > MAX_BYTES ? [`Message is too long (maximum is ${MAX_BYTES} bytes)`] : [];
}

/** The attachment with its id as text; undefined when it lacks a type, or both id and address. */
function attachment(value: unknown): Attachment | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { id, url, type, ...others } = value as Record<string, unknown>;
  const kind = asText(type);
  const reference = asText(id);
  const address = asText(url);
  if (!kind || (!reference && !address) || isNested(id) || isNested(url)) return undefined;
  return keepOrder(value as Record<string, unknown>, {
    ...others,
    type: kind,
    ...(reference ? { id: reference } : {}),
    ...(address ? { url: address } : {}),
  }) as Attachment;
}

function keepOrder(original: Record<string, unknown>, changed: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.keys(original).flatMap((key) => (key in changed ? [[key, changed[key]]] : [])));
}

function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
