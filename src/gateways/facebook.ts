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
  /** Base of the Graph API; a version may be part of it. */
  endpoint: endpointSetting.default('https://graph.facebook.com'),
});

type FacebookSettings = z.infer<typeof facebookSettings>;

/** What the Graph API tells of a token that it knows; others lack the fields. */
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

/** A user's access token of the application's own Facebook app. */
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
    if (id !== userId) throw new IdentityRefusedError('the profile is not that of the user of the token');
    return { provider: 'facebook', providerId: id, fullName: nameOf(name) };
  }

  /** Any app's token opens a profile, so the token has to be one that was given to this app. */
  async #inspect(token: string): Promise<string> {
    const { appId, appSecret } = this.#settings;
    const { status, body } = await this.#ask('/debug_token', {
      input_token: token,
      access_token: `${appId}|${appSecret}`,
    });
    // Whatever the token, Facebook inspects it for an app that it knows.
    if (status !== 200) throw new ProviderUnavailableError(`it answered ${status}: are app id and secret right?`);
    const inspected = inspection.safeParse(body);
    if (!inspected.success) throw new IdentityRefusedError('the token is not valid');
    const { app_id, expires_at, user_id } = inspected.data.data;
    if (app_id !== appId) throw new IdentityRefusedError("the token is another app's");
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
    if (!read.success) throw new IdentityRefusedError('the token opens no profile');
    return read.data;
  }

  #ask(path: string, parameters: Record<string, string>) {
    const url = addressBelow(this.#settings.endpoint, path);
    url.search = new URLSearchParams(parameters).toString();
    return askProvider(url);
  }
}
