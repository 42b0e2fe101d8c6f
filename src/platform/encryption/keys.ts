export const KEY_BYTES = 32;

/** Accepts 32 bytes as 64 hex digits or in Base64. */
export function parseEncryptionKey(text: string): Buffer | undefined {
  const isHex = /^[0-9a-f]{64}$/i.test(text);
  if (!isHex && !/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return undefined;
  return Buffer.from(text, isHex ? 'hex' : 'base64');
}
