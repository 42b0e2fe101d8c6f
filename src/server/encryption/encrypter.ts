import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { KEY_BYTES } from './keys.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Begins every sealed text, so that another form may come beside it. */
const FORM = 'v1.';

/** A sealed text can't be opened: it was sealed with another key, or for something else. The message is for the log. */
export class DecryptionError extends Error {}

/** Keeps secrets of applications unreadable to whoever has the database alone. */
export class Encrypter {
  readonly #key: Buffer;

  /** @param key `KEY_BYTES` random bytes */
  constructor(key: Buffer) {
    if (key.length !== KEY_BYTES) throw new Error(`an encryption key has ${KEY_BYTES} bytes`);
    this.#key = key;
  }

  /** One with a key of its own, made from this one's: what either has sealed the other can't open. */
  forPurpose(purpose: string): Encrypter {
    return new Encrypter(Buffer.from(hkdfSync('sha256', this.#key, '', purpose, KEY_BYTES)));
  }

  /** @param place where it will be stored: it can be opened nowhere else, so rows can't be exchanged for each other */
  encrypt(text: string, additionalData: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES }).setAAD(
      Buffer.from(additionalData),
    );
    const hidden = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return FORM + hidden.toString('base64url');
  }

  /** @throws {DecryptionError} */
  decrypt(encrypted: string, additionalData: string): string {
    if (!encrypted.startsWith(FORM)) throw new DecryptionError(`${additionalData} is encrypted in an unknown form`);
    const hidden = Buffer.from(encrypted.slice(FORM.length), 'base64url');
    try {
      const decipher = createDecipheriv(CIPHER, this.#key, hidden.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(Buffer.from(additionalData))
        .setAuthTag(hidden.subarray(-TAG_BYTES));
      return decipher.update(hidden.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    } catch {
      throw new DecryptionError(`${additionalData} can't be opened: is ENCRYPTION_KEY the one it was encrypted with?`);
    }
  }
}
