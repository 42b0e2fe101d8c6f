import type { Element } from './xml/element.ts';
import { escaped, isName, joined, NOTHING, tag, type Xml } from './xml/writer.ts';

export interface StanzaContent {
  text: string;
  attachments: Record<string, string>[];
  fields: Record<string, unknown>;
}

/** Their values come from the service. */
const OF_SERVICE = new Set(['save_to_history', 'dialog_id', 'date_sent', 'message_id']);

/** Clients search the whole message for these names. */
const MEANINGFUL = new Set([
  ...['markable', 'received', 'displayed', 'composing', 'paused', 'invite', 'delay', 'forwarded'],
]);

export function readContent(message: Element): StanzaContent {
  const parameters = message.find('extraParams');
  const children = parameters?.elements ?? [];
  return {
    text: message.find('body')?.text ?? '',
    attachments: children.filter((child) => child.is('attachment')).map((child) => membersOf(child)),
    fields: fieldsOf(children.filter((child) => !child.is('attachment') && !OF_SERVICE.has(child.name))),
  };
}

/** Whether the client wants the message to be stored. */
export function isStored(message: Element): boolean {
  const asked = message.find('extraParams')?.find('save_to_history')?.text.trim();
  return asked === '1' || asked === 'true';
}

function membersOf({ attributes }: Element): Record<string, string> {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, value ?? '']));
}

/** Repeated names become a list. */
export function fieldsOf(children: readonly Element[]): Record<string, unknown> {
  const fields = new Map<string, unknown[]>();
  for (const child of children) fields.set(child.name, [...(fields.get(child.name) ?? []), contentOfElement(child)]);
  return Object.fromEntries([...fields].map(([name, values]) => [name, values.length === 1 ? values[0] : values]));
}

function contentOfElement(element: Element): unknown {
  if (element.is('attachment')) return membersOf(element);
  const { elements } = element;
  if (elements.length > 0) return fieldsOf(elements);
  return element.text;
}

/**
 * The elements of fields, without those that clients would misunderstand.
 * @param repeats whether a list becomes repeated elements, as a chat client sends it; otherwise it becomes JSON
 */
export function fieldElements(fields: object, repeats: boolean): Xml {
  return joined(
    Object.entries(fields).flatMap(([name, value]) => {
      if (!isName(name) || MEANINGFUL.has(name)) return [];
      if (name === 'attachment' && repeats) return [attachmentElements([value].flat())];
      if (repeats && Array.isArray(value)) return value.map((one) => tag(name, {}, contentOf(one, repeats)));
      return value === null || value === undefined ? [] : [tag(name, {}, contentOf(value, repeats))];
    }),
  );
}

function contentOf(value: unknown, repeats: boolean): Xml {
  if (Array.isArray(value)) return escaped(JSON.stringify(value));
  if (typeof value === 'object' && value !== null) return fieldElements(value, repeats);
  return value === null || value === undefined ? NOTHING : escaped(String(value));
}

/** As sent, in a message that is not stored. */
export function readParameters(message: Element): Record<string, unknown> {
  return fieldsOf(message.find('extraParams')?.elements ?? []);
}

export function attachmentElements(attachments: readonly unknown[]): Xml {
  return joined(
    attachments.map((attachment) => {
      const members = Object.entries(Object(attachment)).filter(
        ([name, value]) => isName(name) && typeof value !== 'object',
      );
      return tag('attachment', Object.fromEntries(members.map(([name, value]) => [name, String(value)])));
    }),
  );
}

export function extraParams(...content: Xml[]): Xml {
  return tag('extraParams', { xmlns: 'jabber:client' }, ...content);
}

/** A child with the value of the service. */
export function field(name: string, value: string | number): Xml {
  return tag(name, {}, escaped(String(value)));
}
