/** Schemes that run scripts, read files or start another program than the app. */
const DANGEROUS = new Set(
  'javascript: vbscript: data: blob: file: filesystem: about: view-source: mailto: tel: sms: intent: ws: wss: ftp:'.split(
    ' ',
  ),
);

export function isDangerousScheme(protocol: string): boolean {
  return DANGEROUS.has(protocol);
}

/** Undefined without a scheme. As browsers read it: without control characters, and in lower case. */
export function schemeOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).protocol : undefined;
}

/** `geo:` of locations, which legacy clients send. */
const STORABLE: readonly (string | undefined)[] = [undefined, 'http:', 'https:', 'geo:'];

/** Whether an address that a user wrote is stored for others: `https://example.com/a`, `/a`, `geo:1,2` */
export function isStorable(address: string): boolean {
  return STORABLE.includes(schemeOf(address));
}
