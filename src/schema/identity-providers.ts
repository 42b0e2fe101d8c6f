import {
  deleteIdentityProvider,
  listIdentityProviders,
  publicId,
  updateIdentityProvider,
} from '../resolvers/identity-providers.ts';
import { builder } from './builder.ts';

const IdentityProviderKind = builder.enumType('IdentityProviderKind', {
  values: {
    FACEBOOK: { value: 'facebook' },
    TWITTER: { value: 'twitter' },
    FIREBASE_PHONE: { value: 'firebase_phone' },
  } as const,
});

const IdentityProvider = builder.prismaObject('IdentityProvider', {
  description: "A provider by which the application's users sign in. Its secrets are never shown.",
  fields: (t) => ({
    provider: t.expose('provider', { type: IdentityProviderKind }),
    publicId: t.string({ description: 'App id, consumer key or project id.', resolve: publicId }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

const FacebookSettingsInput = builder.inputType('FacebookSettingsInput', {
  fields: (t) => ({ appId: t.string({ required: true }), appSecret: t.string({ required: true }) }),
});

const TwitterSettingsInput = builder.inputType('TwitterSettingsInput', {
  fields: (t) => ({ consumerKey: t.string({ required: true }), consumerSecret: t.string({ required: true }) }),
});

const FirebasePhoneSettingsInput = builder.inputType('FirebasePhoneSettingsInput', {
  fields: (t) => ({ projectId: t.string({ required: true }) }),
});

const UpdateIdentityProviderInput = builder.inputType('UpdateIdentityProviderInput', {
  description: 'What one provider gave the application.',
  isOneOf: true,
  fields: (t) => ({
    facebook: t.field({ type: FacebookSettingsInput }),
    twitter: t.field({ type: TwitterSettingsInput }),
    firebasePhone: t.field({ type: FirebasePhoneSettingsInput }),
  }),
});

builder.queryField('identityProviders', (t) =>
  t.withAuth({ key: true }).prismaField({
    type: [IdentityProvider],
    description: "The providers that are set up for the key's application.",
    resolve: (_query, _root, _args, context) => listIdentityProviders(context),
  }),
);

builder.mutationField('updateIdentityProvider', (t) =>
  t.withAuth({ key: true }).prismaField({
    type: IdentityProvider,
    description: 'Sets a provider up, or anew: from now on users may sign in by it.',
    args: { input: t.arg({ type: UpdateIdentityProviderInput, required: true }) },
    resolve: (_query, _root, { input }, context) => updateIdentityProvider(input, context),
  }),
);

builder.mutationField('deleteIdentityProvider', (t) =>
  t.withAuth({ key: true }).boolean({
    description: 'Ends sign-ins by the provider; the users it brought stay.',
    args: { provider: t.arg({ type: IdentityProviderKind, required: true }) },
    resolve: (_root, { provider }, context) => deleteIdentityProvider(provider, context),
  }),
);
