import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { unixSeconds } from '../lib/time.ts';
import type { IdentityKeys, IdentityVerifier, VerifiedIdentity } from './identity-verifier.ts';
import {
  addressBelow,
  askProvider,
  endpointSetting,
  IdentityRefusedError,
  nameOf,
  ProviderUnavailableError,
  providerIdText,
  requireKey,
  settingText,
} from './provider.ts';

export const facebookSettings = z.object({
  appId: settingText,
  appSecret: settingText,
  endpoint: endpointSetting.default('https://graph.facebook.com'),
});

type FacebookSettings = z.infer<typeof facebookSettings>;

const inspection = z.object({
  data: z.object({
    app_id: z.coerce.string(),
    is_valid: z.literal(true),
    /** Unix seconds; 0 for a token that does not expire. */
    expires_at: z.number(),
    user_id: z.coerce.string().pipe(providerIdText),
  }),
});

const profile = z.object({ id: providerIdText, name: z.unknown().optional() });

export class FacebookVerifier implements IdentityVerifier {
  readonly #settings: FacebookSettings;
  readonly #now: () => Date;

  constructor(settings: FacebookSettings, now: () => Date) {
    this.#settings = settings;
    this.#now = now;
  }

  async verify(keys: IdentityKeys): Promise<VerifiedIdentity> {
    const token = requireKey(keys.token);
    const userId = await this.#inspect(token);
    const { id, name } = await this.#readProfile(token);
    if (id !== userId) throw new IdentityRefusedError('the profile and the token belong to different users');
    return { provider: 'facebook', providerId: id, fullName: nameOf(name) };
  }

  /** Any app's token can read a profile, so this requires one that was issued to this app. */
  async #inspect(token: string): Promise<string> {
    const { appId, appSecret } = this.#settings;
    const { status, body } = await this.#ask('/debug_token', {
      input_token: token,
      access_token: `${appId}|${appSecret}`,
    });
    // Facebook inspects every token for an app it knows, so an error means wrong credentials.
    if (status !== 200) throw new ProviderUnavailableError(`responded with ${status}; check app id and secret`);
    const inspected = inspection.safeParse(body);
    if (!inspected.success) throw new IdentityRefusedError('the token is not valid');
    const { app_id, expires_at, user_id } = inspected.data.data;
    if (app_id !== appId) throw new IdentityRefusedError('the token was issued to another app');
    const isExpired = expires_at !== 0 && expires_at <= unixSeconds(this.#now());
    if (isExpired) throw new IdentityRefusedError('the token has expired');
    return user_id;
  }

  async #readProfile(token: string): Promise<z.infer<typeof profile>> {
    const { body } = await this.#ask('/me', {
      fields: 'id,name',
      access_token: token,
      appsecret_proof: createHmac('sha256', this.#settings.appSecret).update(token).digest('hex'),
    });
    const read = profile.safeParse(body);
    if (!read.success) throw new IdentityRefusedError('the token gives access to no profile');
    return read.data;
  }

  #ask(path: string, parameters: Record<string, string>) {
    const url = addressBelow(this.#settings.endpoint, path);
    url.search = new URLSearchParams(parameters).toString();
    return askProvider(url);
  }
}
