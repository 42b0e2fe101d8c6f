import type { Message, Prisma } from '../../generated/prisma/client.ts';
import { isStorable } from '../../lib/address-schemes.ts';
import { UnprocessableError } from '../../lib/errors.ts';
import { type Problem, problem } from '../../lib/problems.ts';

/** Other members are stored unchanged. */
export interface Attachment {
  type: string;
  id?: string;
  url?: string;
  [member: string]: unknown;
}

type StoredContent = Pick<Message, 'text' | 'attachments' | 'customFields'>;

interface MessageContent {
  text: string;
  attachments: unknown[];
  customFields: Record<string, unknown>;
}

export const MAX_BYTES = 32 * 1024;
export const MAX_ATTACHMENTS = 20;
export const BLANK = 'MESSAGE_REQUIRED';

/** Members of attachments that clients display or calculate with. */
const TEXT_MEMBERS = new Set(['uid', 'name', 'content-type', 'contentType']);
const NUMBER_MEMBERS = new Set(['size', 'width', 'height', 'duration']);

/** Keys that custom parameters cannot have, fixed by the contract: clients may already use any other name. */
const RESERVED_KEYS = new Set([
  ...['_id', 'chat_dialog_id', 'message', 'sender_id', 'recipient_id', 'attachments', 'date_sent', 'created_at'],
  ...['updated_at', 'read', 'read_ids', 'delivered', 'delivered_ids', 'reactions', 'send_to_chat'],
  ...['save_to_history', 'markable'],
]);

export function withoutReservedKeys(customFields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(customFields).filter(([key]) => !RESERVED_KEYS.has(key)));
}

/** @throws {UnprocessableError} including `addressProblems` */
export function checkedContent(
  { text, attachments, customFields }: MessageContent,
  addressProblems: Problem[] = [],
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
    problems.push(problem('CUSTOM_FIELDS_TOO_LARGE', { max: MAX_BYTES }));
  }
  if (attachments.length > MAX_ATTACHMENTS) problems.push(problem('TOO_MANY_ATTACHMENTS', { max: MAX_ATTACHMENTS }));
  if (checked.includes(undefined)) problems.push('ATTACHMENT_INCOMPLETE');
  problems.push(...new Set(checked.flatMap((attachment) => (attachment ? memberProblems(attachment) : []))));
  if (problems.length > 0) throw new UnprocessableError(...problems);
  return content;
}

export function checkedText(text: string): string {
  const trimmed = text.trimEnd();
  const problems = textProblems(trimmed);
  if (problems.length > 0) throw new UnprocessableError(...problems);
  return trimmed;
}

export function isBlank({ text, attachments, customFields }: StoredContent): boolean {
  return text === '' && [attachments, customFields].every((json) => Object.keys(json ?? {}).length === 0);
}

function textProblems(text: string): Problem[] {
  return Buffer.byteLength(text) > MAX_BYTES ? [problem('MESSAGE_TOO_LONG', { max: MAX_BYTES })] : [];
}

/** Undefined without a type, or without both id and URL. */
function attachment(value: unknown): Attachment | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { id, url, type, ...others } = value as Record<string, unknown>;
  const kind = asText(type);
  const reference = asText(id);
  const address = asText(url);
  if (!kind || (!reference && !address) || isNested(id) || isNested(url)) return undefined;
  return keepOrder(value as Record<string, unknown>, {
    ...Object.fromEntries(Object.entries(others).map(([name, member]) => [name, typed(name, member)])),
    type: kind,
    ...(reference ? { id: reference } : {}),
    ...(address ? { url: address } : {}),
  }) as Attachment;
}

/** A number in place of a text is its text, as in `id`. */
function typed(name: string, member: unknown): unknown {
  return TEXT_MEMBERS.has(name) ? (asText(member) ?? member) : member;
}

function memberProblems(attachment: Attachment): Problem[] {
  const wrong = Object.entries(attachment).filter(([name, member]) => !isMember(name, member));
  return wrong.map(([name]) => problem('ATTACHMENT_INVALID', { member: name }));
}

/** Forms send numbers as text. */
function isMember(name: string, member: unknown): boolean {
  if (name === 'url') return isStorable(String(member));
  if (TEXT_MEMBERS.has(name)) return typeof member === 'string';
  return !NUMBER_MEMBERS.has(name) || typeof member === 'string' || Number.isFinite(member);
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
