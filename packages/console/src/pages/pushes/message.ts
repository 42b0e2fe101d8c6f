/** The text or JSON of a push as the API expects it: Base64 of UTF-8. */
export function encodeMessage(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''));
}

/** Reverses `encodeMessage`; a stored message has the prefix of its channel. */
export function decodeMessage(stored: string): string {
  try {
    const bytes = atob(stored.replace(/^(payload|data\.message)=/, ''));
    return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
  } catch {
    return stored;
  }
}
