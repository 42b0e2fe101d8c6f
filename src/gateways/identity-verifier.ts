/** What a client sends to prove who signs in: `keys[…]` of the social providers, `firebase_phone[…]` of the other. */
export interface IdentityKeys {
  token?: string;
  secret?: string;
  accessToken?: string;
  projectId?: string;
}

/** Who signs in, as the provider vouches for it. */
export type VerifiedIdentity =
  | { provider: 'facebook' | 'twitter' /** 1–20 digits. */; providerId: string; fullName: string | null }
  | { provider: 'firebase_phone' /** E.164: `+15551234567`. */; phone: string };

export interface IdentityVerifier {
  /** @throws {IdentityRefusedError} the keys prove nothing, or the provider can't be asked */
  verify(keys: IdentityKeys): Promise<VerifiedIdentity>;
}
