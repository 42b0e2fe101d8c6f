import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { KEY_BYTES } from './keys.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const FORMAT = 'v1.';

/** The message is for the log. */
export class DecryptionError extends Error {}

export class Encrypter {
  readonly #key: Buffer;
  readonly #derived = new Map<string, Encrypter>();

  constructor(key: Buffer) {
    if (key.length !== KEY_BYTES) throw new Error(`an encryption key must have ${KEY_BYTES} bytes`);
    this.#key = key;
  }

  /** Derives a key; neither encrypter can decrypt the other's texts. */
  forPurpose(purpose: string): Encrypter {
    const cached = this.#derived.get(purpose);
    if (cached) return cached;
    const derived = new Encrypter(Buffer.from(hkdfSync('sha256', this.#key, '', purpose, KEY_BYTES)));
    this.#derived.set(purpose, derived);
    return derived;
  }

  /** @param additionalData binds the text to its row, so that rows cannot be swapped */
  encrypt(text: string, additionalData: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES }).setAAD(
      Buffer.from(additionalData),
    );
    const bytes = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return FORMAT + bytes.toString('base64url');
  }

  /** HMAC-SHA-256; use a key of its own purpose. */
  sign(text: string): Buffer {
    return createHmac('sha256', this.#key).update(text).digest();
  }

  decrypt(encrypted: string, additionalData: string): string {
    if (!encrypted.startsWith(FORMAT)) throw new DecryptionError(`${additionalData} is encrypted in an unknown format`);
    const bytes = Buffer.from(encrypted.slice(FORMAT.length), 'base64url');
    try {
      const decipher = createDecipheriv(CIPHER, this.#key, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(Buffer.from(additionalData))
        .setAuthTag(bytes.subarray(-TAG_BYTES));
      return decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    } catch {
      throw new DecryptionError(`${additionalData} cannot be decrypted; has ENCRYPTION_KEY changed?`);
    }
  }
}
