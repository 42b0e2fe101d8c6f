/** Who a mail comes from: `Atrium <no-reply@example.com>`; the name may be empty. */
export interface Mailbox {
  name: string;
  address: string;
}

/** No blank, control character, or sign by which headers and SMTP commands separate addresses. */
const PLAIN = String.raw`[^\s\p{C}()<>[\]\\,;:"@]+`;
const ADDRESS = new RegExp(String.raw`^${PLAIN}@(?:${PLAIN}|\[(?:IPv6:)?[0-9a-f.:]+\])$`, 'iu');

/** In quotes, or without them. */
const NAME = /^(?:"([^"\\\p{Cc}]*)"|([^"<>\\\p{Cc}]*))$/u;

/** Whether a text has the form of one address: nothing in it reads as a second address, or as more than an address. */
export function hasMailAddressForm(text: string): boolean {
  return ADDRESS.test(text);
}

/** Whether mail can be sent to the address as it stands, at most 254 bytes. */
export function isMailAddress(text: string): boolean {
  return Buffer.byteLength(text) <= 254 && hasMailAddressForm(text);
}

/** `Name <address>`, `"Name, Inc." <address>` or `address`; undefined for anything else. */
export function parseMailbox(text: string): Mailbox | undefined {
  const trimmed = text.trim();
  const open = trimmed.indexOf('<');
  if (open === -1) return isMailAddress(trimmed) ? { name: '', address: trimmed } : undefined;
  const [, quoted, plain] = NAME.exec(trimmed.slice(0, open).trimEnd()) ?? [];
  const name = quoted ?? plain;
  const address = trimmed.slice(open + 1, -1);
  return name !== undefined && trimmed.endsWith('>') && isMailAddress(address) ? { name, address } : undefined;
}
