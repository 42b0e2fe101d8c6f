/** Credentials from the client: `keys[…]` for social providers, `firebase_phone[…]` for phone sign-in. */
export interface IdentityKeys {
  token?: string;
  secret?: string;
  accessToken?: string;
  projectId?: string;
}

export type VerifiedIdentity =
  | { provider: 'facebook' | 'twitter' /** 1–20 digits. */; providerId: string; fullName: string | null }
  | { provider: 'firebase_phone' /** E.164: `+15551234567`. */; phone: string };

export interface IdentityVerifier {
  /** @throws {IdentityRefusedError} also if the provider is unavailable */
  verify(keys: IdentityKeys): Promise<VerifiedIdentity>;
}
