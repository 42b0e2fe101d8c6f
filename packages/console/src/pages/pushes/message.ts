/** The text or JSON of a push as the API expects it: Base64 of UTF-8. */
export function encodeMessage(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''));
}

const PAYLOAD = 'payload=';
const MESSAGE = 'data.message';

/** The text of a stored message: `payload=` with a text or JSON, or values `data.<name>=` in form encoding. */
export function decodeMessage(stored: string): string {
  try {
    if (stored.startsWith(PAYLOAD)) return textOfBase64(stored.slice(PAYLOAD.length));
    if (!stored.startsWith(`${MESSAGE}=`)) return stored;
    const { [MESSAGE]: message = '', ...others } = Object.fromEntries(stored.split('&').map(decodePair));
    const extra = Object.entries(others).map(([name, value]) => `${name.replace(/^data\./, '')}: ${value}`);
    return [message, ...extra].join('\n');
  } catch {
    return stored;
  }
}

function decodePair(pair: string): [name: string, value: string] {
  const end = pair.indexOf('=');
  const escaped = textOfBase64(pair.slice(end + 1));
  return [pair.slice(0, end), decodeURIComponent(escaped.replaceAll('+', ' '))];
}

function textOfBase64(text: string): string {
  const bytes = atob(decodeURIComponent(text));
  return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
}
