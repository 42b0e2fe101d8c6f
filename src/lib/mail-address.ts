/** `Atrium <no-reply@example.com>`; the name may be empty. */
export interface Mailbox {
  name: string;
  address: string;
}

/** Excludes whitespace, control characters and the separators of headers and SMTP commands. */
const PLAIN = String.raw`[^\s\p{C}()<>[\]\\,;:"@]+`;
const ADDRESS = new RegExp(String.raw`^${PLAIN}@(?:${PLAIN}|\[(?:IPv6:)?[0-9a-f.:]+\])$`, 'iu');

const NAME = /^(?:"([^"\\\p{Cc}]*)"|([^"<>\\\p{Cc}]*))$/u;

/** Whether the text is exactly one address: no part of it parses as a second address or a header. */
export function hasMailAddressForm(text: string): boolean {
  return ADDRESS.test(text);
}

export function isMailAddress(text: string): boolean {
  return Buffer.byteLength(text) <= 254 && hasMailAddressForm(text);
}

export function parseMailbox(text: string): Mailbox | undefined {
  const trimmed = text.trim();
  const open = trimmed.indexOf('<');
  if (open === -1) return isMailAddress(trimmed) ? { name: '', address: trimmed } : undefined;
  const [, quoted, plain] = NAME.exec(trimmed.slice(0, open).trimEnd()) ?? [];
  const name = quoted ?? plain;
  const address = trimmed.slice(open + 1, -1);
  return name !== undefined && trimmed.endsWith('>') && isMailAddress(address) ? { name, address } : undefined;
}
