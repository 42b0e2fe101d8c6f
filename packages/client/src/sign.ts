// For servers only, because the secret permits any application session.
import type { SignedRequest } from './credentials.ts';

export interface Application {
  applicationId: number;
  authKey: string;
  /** Must never be part of code that a browser loads. */
  authSecret: string;
  /** Hash algorithm of the application; default `SHA-1`. */
  hash?: 'SHA-1' | 'SHA-256';
}

/** Signs a request for an application session, which a web app turns into a user session with the password. */
export async function signRequest({
  applicationId,
  authKey,
  authSecret,
  hash = 'SHA-1',
}: Application): Promise<SignedRequest> {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  const nonce = (high! % 2 ** 20) * 2 ** 32 + low!;
  const timestamp = Math.floor(Date.now() / 1_000);
  const signed = `application_id=${applicationId}&auth_key=${authKey}&nonce=${nonce}&timestamp=${timestamp}`;
  const bytes = new TextEncoder();
  const key = await crypto.subtle.importKey('raw', bytes.encode(authSecret), { name: 'HMAC', hash }, false, ['sign']);
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes.encode(signed)));
  const hex = Array.from(signature, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return { applicationId, authKey, nonce, timestamp, signature: hex };
}
