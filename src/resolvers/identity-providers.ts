import type { z } from 'zod';
import type { AdministrationContext } from '../context.ts';
import { db, type Prisma } from '../db/client.ts';
import { identitySettings, type IdentityProvider as Provider } from '../gateways/identity.ts';
import type { IdentityProvider } from '../generated/prisma/client.ts';
import { type FieldErrors, InvalidFieldsError } from '../lib/errors.ts';

/** What one of the providers gave the application; exactly one is named. */
export interface ProviderInput {
  facebook?: { appId: string; appSecret: string } | null;
  twitter?: { consumerKey: string; consumerSecret: string } | null;
  firebasePhone?: { projectId: string } | null;
}

/** The providers by which the application's users sign in. */
export function listIdentityProviders({ viewer }: AdministrationContext): Promise<IdentityProvider[]> {
  return db.identityProvider.findMany({ where: { applicationId: viewer.applicationId }, orderBy: { provider: 'asc' } });
}

/**
 * Sets a provider up, or anew, for the caller's application. Where it is asked stays as the operator has set it.
 * @throws {InvalidFieldsError} a setting that can't be one
 */
export function updateIdentityProvider(
  input: ProviderInput,
  { viewer, now }: AdministrationContext,
): Promise<IdentityProvider> {
  return storeIdentityProvider({ ...input, applicationId: viewer.applicationId }, now());
}

/** Ends sign-ins by the provider; its users stay. */
export async function deleteIdentityProvider(provider: Provider, { viewer }: AdministrationContext): Promise<true> {
  await db.identityProvider.deleteMany({ where: { applicationId: viewer.applicationId, provider } });
  return true;
}

/**
 * As `updateIdentityProvider`, for the operator. The service asks the endpoint from within its own network, so only
 * the operator sets it: undefined leaves it as it is, null is the provider's own.
 * @throws {InvalidFieldsError} a setting that can't be one
 */
export async function storeIdentityProvider(
  { applicationId, endpoint, ...input }: ProviderInput & { applicationId: number; endpoint?: string | null },
  now: Date,
): Promise<IdentityProvider> {
  const [provider, settings] = namedProvider(input);
  const checked = identitySettings[provider].safeParse({ ...settings, endpoint: endpoint ?? undefined });
  if (!checked.success) throw new InvalidFieldsError(textsByField(checked.error.issues));
  const values = { settings, endpoint, updatedAt: now };
  return db.identityProvider.upsert({
    where: { applicationId_provider: { applicationId, provider } },
    create: { applicationId, provider, createdAt: now, ...values },
    update: values,
  });
}

/** What may be shown of the settings: app id, consumer key or project id. */
export function publicId({ settings }: IdentityProvider): string {
  const { appId, consumerKey, projectId } = settings as Record<string, string>;
  return appId ?? consumerKey ?? projectId ?? '';
}

function namedProvider({ facebook, twitter, firebasePhone }: ProviderInput): [Provider, Prisma.InputJsonObject] {
  if (facebook) return ['facebook', { ...facebook }];
  if (twitter) return ['twitter', { ...twitter }];
  return ['firebase_phone', { ...firebasePhone }];
}

function textsByField(issues: z.core.$ZodIssue[]): FieldErrors {
  const texts: FieldErrors = {};
  for (const { path, message } of issues) {
    const field = String(path[0]);
    texts[field] = [...(texts[field] ?? []), message];
  }
  return texts;
}
