import { createHmac, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { unixSeconds } from '../lib/time.ts';
import type { IdentityKeys, IdentityVerifier, VerifiedIdentity } from './identity-verifier.ts';
import {
  addressBelow,
  askProvider,
  endpointSetting,
  IdentityRefusedError,
  nameOf,
  providerIdText,
  requireKey,
  settingText,
} from './provider.ts';

export const twitterSettings = z.object({
  consumerKey: settingText,
  consumerSecret: settingText,
  endpoint: endpointSetting.default('https://api.twitter.com'),
});

type TwitterSettings = z.infer<typeof twitterSettings>;

/** `id` exceeds the precision of JSON numbers. */
const account = z.object({ id_str: providerIdText, name: z.unknown().optional() });

/** The application's secret signs the request, so Twitter refuses tokens that were issued to another app. */
export class TwitterVerifier implements IdentityVerifier {
  readonly #settings: TwitterSettings;
  readonly #now: () => Date;

  constructor(settings: TwitterSettings, now: () => Date) {
    this.#settings = settings;
    this.#now = now;
  }

  async verify(keys: IdentityKeys): Promise<VerifiedIdentity> {
    const token = requireKey(keys.token);
    const secret = requireKey(keys.secret);
    const url = addressBelow(this.#settings.endpoint, '/1.1/account/verify_credentials.json');
    const { status, body } = await askProvider(url, { Authorization: this.#authorization(url, token, secret) });
    if (status !== 200) throw new IdentityRefusedError('the token or its secret is wrong');
    const read = account.safeParse(body);
    if (!read.success) throw new IdentityRefusedError('the token gives access to no account');
    return { provider: 'twitter', providerId: read.data.id_str, fullName: nameOf(read.data.name) };
  }

  /** RFC 5849 with HMAC-SHA1, for a GET without parameters. */
  #authorization(url: URL, token: string, tokenSecret: string): string {
    const { consumerKey, consumerSecret } = this.#settings;
    const parameters: [string, string][] = [
      ['oauth_consumer_key', consumerKey],
      ['oauth_nonce', randomBytes(16).toString('hex')],
      ['oauth_signature_method', 'HMAC-SHA1'],
      ['oauth_timestamp', String(unixSeconds(this.#now()))],
      ['oauth_token', token],
      ['oauth_version', '1.0'],
    ];
    const signed = parameters.map(([name, value]) => `${name}=${percentEncoded(value)}`).join('&');
    const text = ['GET', url.origin + url.pathname, signed].map(percentEncoded).join('&');
    const key = `${percentEncoded(consumerSecret)}&${percentEncoded(tokenSecret)}`;
    const signature = createHmac('sha1', key).update(text).digest('base64');
    const fields = [...parameters, ['oauth_signature', signature] as const];
    return `OAuth ${fields.map(([name, value]) => `${name}="${percentEncoded(value)}"`).join(', ')}`;
  }
}

function percentEncoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
