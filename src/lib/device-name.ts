const MAX_AGENT = 500;
const MAX_NAME = 100;

/** `Firefox on Linux`, or the first product for others than browsers: `okhttp/4.12.0`. Null if there is none. */
export async function deviceName(userAgent: string | undefined): Promise<string | null> {
  const text = userAgent?.slice(0, MAX_AGENT).trim();
  if (!text) return null;
  // Loaded here, because few requests sign in.
  const { default: Bowser } = await import('bowser');
  const { browser, os } = Bowser.parse(text);
  const name = browser.name && os.name ? `${browser.name} on ${os.name}` : text.split(' ', 1)[0]!;
  // Mails show it, and clients choose it: no addresses and no sentences.
  return name.length <= MAX_NAME && /^[\w.+ -]+(?:\/[\w.+-]+)?$/.test(name) ? name : null;
}
