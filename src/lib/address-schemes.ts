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

/** Whether pages may link to an address that a user wrote: `https://example.com/a`, `/a` */
export function isLinkable(address: string): boolean {
  const scheme = schemeOf(address);
  return scheme === undefined || scheme === 'http:' || scheme === 'https:';
}
